-- Part of batch.lua: groups of a plan that is a token bucket alone, the most common one.
-- Reply of each group that got all it asked for the value as it was found before it was raised, or nothing
--       if there was none; of others the permits taken, t and u as they were found, as texts; of one that
--       was not decided the number of its text behind a !.
local most, n, p, per = numbers('<dddd', rules)
local cycle, here, used, fresh, span_since = 16384 * p, 16384 * ((now + HALF) % ROUND - HALF), {}, {}, {}
for group = first, last do
  local key, cell, cost, number, raised = keys[group], cells[group], costs[c], nil, false
  if cell then
    number = tonumber(cell)
    -- + batch_quick
  end
  if raised then
    reply[group + 1], c = cell, c + 1
  else
    local t, u, code, room, problem, taken, denied, found_t, found_u = now, 0, 0, 0, nil, 0, false, nil, nil
    -- + bucket_room
    -- + batch_costs
    if taken > 0 and not problem then
      local value, latest = nil, 0
      -- + bucket_take
      -- + batch_raise
      -- + batch_known
      if value then
        -- + batch_save
      end
    end
    if problem then
      texts[#texts + 1] = problem
      reply[group + 1] = '!' .. #texts
    elseif raised and not denied then
      reply[group + 1] = cell
    elseif cell or denied then
      reply[group + 1] = format('%d %d %d', taken, found_t, found_u)
    else
      reply[group + 1] = ''
    end
  end
end
