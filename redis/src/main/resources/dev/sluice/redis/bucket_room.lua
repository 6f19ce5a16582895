-- Part of acquire.lua and batch.lua, for the most common plan: a token bucket alone. The room that it
-- leaves, and its state as it was found and now. What does not look like its value is far ahead.
local into = 0
if cell then
  if number and number >= -2 ^ 53 and number < 2 ^ 53 and number % 1 == 0 then
    code = number % 16384
    u = code % 512
    t = now + ((number - code) / 16384 - now + HALF) % ROUND - HALF
  elseif #cell == 18 and sub(cell, 1, 2) == ids then
    t, u = numbers('<dd', cell, 3)
  else
    t = 2 ^ 53
  end
  problem = t - now > per and 'LEFT' or nil
end
found_t, found_u = t, u
-- + cell_bucket
room = (into * n - into * n % p) / p + most - u
