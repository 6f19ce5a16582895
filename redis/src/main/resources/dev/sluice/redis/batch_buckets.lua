-- Part of batch.lua: groups of a plan that is a token bucket alone, the most common one.
-- Reply of each group that was raised, or got all it asked for where there was nothing, what was found; of
--       others the permits taken, t and u as they were found, as texts; of one that was not decided the number
--       of its text behind a !.
local most, n, p, per = numbers('<dddd', rules)
local cycle, each, shortest = 16384 * p, 16384 * p / n, 16384 * TERM
local here = 16384 * ((now + HALF) % ROUND - HALF)
for group = first, last do
  local key, cell, cost, raised = keys[group], cells[group], costs[c], false
  local number = cell and tonumber(cell)
  if number and number >= -2 ^ 53 then
    -- + batch_raise
  end
  if raised then
    reply[group + 1], c = cell, cost > 0 and c + 1 or c + 3
  else
    local t, u, code, room, problem, taken, denied, found_t, found_u = now, 0, 0, 0, nil, 0, false, nil, nil
    -- + bucket_room
    -- + batch_costs
    if taken > 0 and not problem then
      local value, latest = nil, 0
      -- + bucket_take
      -- + batch_term
      -- + batch_save
    end
    if problem then
      texts[#texts + 1] = problem
      reply[group + 1] = '!' .. #texts
    elseif cell or denied then
      reply[group + 1] = format('%d %d %d', taken, found_t, found_u)
    else
      reply[group + 1] = ''
    end
  end
end
