-- Part of acquire.lua and batch.lua, for the most common plan: a token bucket alone. The room that it
-- leaves, and its state as it was found and now. What does not look like its value is far ahead.
-- A number of more than 15 digits is read only roughly: its last four tell what the others are.
local into = 0
if cell then
  local w, x, y, z = byte(cell, -4, -1)
  number = z and tonumber(cell)
  if #cell == 18 and sub(cell, 1, 2) == ids then
    t, u = numbers('<dd', cell, 3)
  elseif number and number > 9999 then
    code = w * 1000 + x * 100 + y * 10 + z - 53328
    u = code % 400
    t = (number - code) / 10000 + 0.5
    t = t - t % 1 + EPOCH
  else
    t = 2 ^ 53
  end
  problem = t - now > per and 'LEFT' or nil
end
found_t, found_u = t, u
-- + cell_bucket
room = (into * n - into * n % p) / p + most - u
