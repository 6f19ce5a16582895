-- Part of batch_buckets.lua: the value of the bucket of bucket_take.lua. One that is found again is raised
-- where it lies, if its term says that it lives for long enough: less work for the server than to write it.
-- No span goes beyond a round, so nor does t where it is raised. When it has to be written, it gets a
-- term: spans of more than four times the time for which it is needed, or after which it was found again, at
-- most twice that; or shorter ones, for it lives a period longer at most than its limit may remember.
local term = 0
if cell and u < 512 and per < HALF then
  if code > 511 then
    local span = TERM * 2 ^ ((code - found_u) / 512)
    local from, by = found_t - found_t % span, (t - found_t) * 16384 + u - found_u
    if t < from + span and from + 2 * span >= now + latest then
      raised = try('INCRBY', key, by == 1 and '1' or format('%d', by)) == number + by
    end
  end
  if not raised then
    local lasts, again, longest = now - t + latest, now - found_t, per + (latest > per and latest or per)
    local _, times = math.frexp((again > lasts and again or lasts) * 4 / TERM)
    for less = 0, 3 do
      local span = TERM * 2 ^ (times - less)
      local left = t - t % span + 2 * span - now
      if term == 0 and span > TERM and left >= latest and left <= longest and now - t + left < 5e11 then
        term, latest = (times - less) * 512, left
      end
    end
  end
end
if not raised then
  -- + bucket_value
end
