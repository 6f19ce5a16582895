-- Part of batch.lua: groups of any other plan.
-- Reply of each group the permits taken, and t and u of each limit as they were found, eight bytes each; of
--       one that was not decided minus the number of its text, as many.
local limits = #rules / 32
for group = first, last do
  local key, cell, cost, problem, taken, denied = keys[group], cells[group], costs[c], nil, 0, false
  local room, found, ts, us
  -- + cells_room
  -- + batch_costs
  if taken > 0 and not problem then
    local value, latest = nil, 0
    -- + cells_take
    -- + batch_save
  end
  if problem then
    texts[#texts + 1] = problem
    reply[group + 1] = packed('<d', -#texts)
  else
    reply[group + 1] = packed('<d', taken) .. found
  end
end
