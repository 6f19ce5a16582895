-- Part of acquire.lua and batch.lua: the room that all limits of a plan leave, and the state of each as
-- it was found and now.
local mine = cell and #cell == #ids + 16 * limits and sub(cell, 1, #ids) == ids
room, found, ts, us = 2 ^ 53, '', { 0, 0, 0 }, { 0, 0, 0 }
for i = 1, limits do
  local most, n, p, per = numbers('<dddd', rules, 32 * i - 31)
  local t, u, free = now, 0, 0
  if cell then
    -- + cell
    if not t or not u then
      problem, t, u = 'LEFT', now, 0
    end
  end
  found = found .. packed('<dd', t, u)
  if t - now > per then
    problem = 'LEFT'
  end
  if n > 0 then
    local into = 0
    -- + cell_bucket
    free = (into * n - into * n % p) / p
  else
    if u >= 1099511627776 then
      problem = 'LEFT'
    end
    local rolls = p == 1
    -- + cell_window
  end
  ts[i], us[i] = t, u
  free = free + most - u
  room = free < room and free or room
end
