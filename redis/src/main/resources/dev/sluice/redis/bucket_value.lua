-- Part of acquire.lua and batch_term.lua: the value of the bucket of bucket_take.lua, as cells.lua describes it.
if u < 512 and per < HALF and now - t + latest < 5e11 then
  value = format('%d', ((t + HALF) % ROUND - HALF) * 16384 + term + u)
else
  value = ids .. packed('<dd', t, u)
end
