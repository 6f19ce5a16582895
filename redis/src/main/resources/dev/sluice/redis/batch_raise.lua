-- Part of batch_buckets.lua: raises a bucket where it lies, less work for the server than to write it, if it
-- has all that is asked for and its term says that it lives for long enough. These are the steps of
-- bucket_room.lua and bucket_take.lua in 16384ths of a microsecond: done is by how much t moves, left what is
-- in use then, and at, with a microsecond to spare, where in its span t lies. What is rare is left to them.
local code, by = number % 16384, cost > 0 and cost or cost == -1 and costs[c + 1] * costs[c + 2] or 512
local u = code % 512
local span = shortest * 2 ^ ((code - u) / 512)
local since, done, left, at = here - number + code, 0, u + by, number % span
if since >= cycle or since * n >= u * cycle then
  if since * n >= u * cycle then
    done, left = since, by
  else
    done = since - since % cycle
    left = left - done / cycle * n
  end
  at, by = at + done, done + left - u
end
if code > 511 and since >= 0 and at < span and left * each <= 2 * span - at then
  if left < 512 and (left <= most or (left - most) * cycle <= (since - done) * n) then
    raised = try('INCRBY', key, by == 1 and '1' or format('%d', by)) == number + by
  end
end
