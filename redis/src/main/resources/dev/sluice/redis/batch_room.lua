-- Part of batch.lua: limit i of a group. How much room it leaves, and its state as it was found and now.
local t, u = now, 0
if cell then
  -- + cell
  if not t or not u then
    problem, t, u = 'LEFT', now, 0
  end
end
found_t[i], found_u[i] = t, u
local n, p, per, rolls, free = ns[i], ps[i], pers[i], first[i], 0
if t - now > per then
  problem = 'LEFT'
end
if p then
  local into = 0
  -- + cell_bucket
  free = (into * n - into * n % p) / p
else
  if u >= 1099511627776 then
    problem = 'LEFT'
  end
  -- + cell_window
end
ts[i], us[i] = t, u
free = free + most[i] - u
room = free < room and free or room
