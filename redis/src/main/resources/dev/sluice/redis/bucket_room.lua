-- Part of acquire.lua and batch.lua, for the most common plan: a token bucket alone. The room that it
-- leaves, and its state as it was found and now. What does not look like its value is far ahead.
local into = 0
if cell then
  if #cell == 18 and sub(cell, 1, 2) == ids then
    t, u = numbers('<dd', cell, 3)
  else
    t, u = tonumber(sub(cell, 1, -5)), tonumber(sub(cell, -4))
    t, u = t and u and t > 0 and t + EPOCH or 2 ^ 53, u or 0
  end
  problem = t - now > per and 'LEFT' or nil
end
found_t, found_u = t, u
-- + cell_bucket
room = (into * n - into * n % p) / p + most - u
