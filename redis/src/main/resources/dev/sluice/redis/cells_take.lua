-- Part of acquire.lua and batch.lua: charges the limits of cells_room.lua.
for i = 1, limits do
  local _, n, p, per = numbers('<dddd', rules, 32 * i - 31)
  local t, u, reset = ts[i], us[i] + taken, 0
  if n > 0 then
    reset = t - now + u * p / n
  else
    reset = (p == 1 and t or t - t % per) + per - now
  end
  latest = reset > latest and reset or latest
  -- + cell_value
end
