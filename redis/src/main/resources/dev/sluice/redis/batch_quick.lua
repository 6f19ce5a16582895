-- Part of batch_buckets.lua: raises a bucket by the steps of bucket_room.lua and batch_raise.lua, but as few
-- as will do for the two most common cases, once they have met its term in this call: one that is in use
-- and has not finished a cycle since t, and one that is full again.
if number and cost > 0 then
  local code = number % 16384
  local u = code % 512
  local term, since, by = code - u, here - number + code, 0
  if u * cycle > since * n then
    if since >= 0 and since < cycle and used[term] and u + cost <= used[term] then
      by = cost
    end
  elseif fresh[term] and cost <= fresh[term] and since <= span_since[term] then
    by = since + cost - u
  end
  if by > 0 then
    raised = try('INCRBY', key, by == 1 and '1' or format('%d', by)) == number + by
  end
end
