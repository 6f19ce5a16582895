-- Many requests for plain token buckets and fixed windows in one call, in groups of one plan and key.
-- The requests of a group are decided in order of arrival, at one instant, from one state: the steps
-- of acquire.lua, but equal costs in a row at once. No group knows of another: what is rare is left
-- undone, and an error is told, for its group alone.
-- KEYS  for each group the value of cells.lua; then for each group the key of its reservations
-- ARGV  the number of groups; for each plan its limits as they stand in the value, the number of its
--       groups, the numbers of its limits as in acquire.lua, and for each group the cost of its only
--       request, or minus the number of its runs and for each how many requests of which cost
-- Reply now; for each group the permits taken, and t and u of each limit as they were found: from
--       these dev.sluice.redis.Group tells the answers. Or a text: LEFT, or the error.
local groups, group, a = ARGV[1] + 0, 0, 2
local cells = call('MGET', unpack(KEYS, 1, groups))
local reply, r = { now }, 1
local found_t, found_u, ts, us = {}, {}, {}, {}
while group < groups do
  local ids, last, rules = ARGV[a], group + ARGV[a + 1], ARGV[a + 2]
  local limits = #rules / 32
  a = a + 3
  -- + batch_plan
  while group < last do
    group = group + 1
    local cell = cells[group]
    local mine = cell and #cell == #ids + 16 * limits and sub(cell, 1, #ids) == ids
    local room, problem, taken, denied = 2 ^ 53, nil, 0, false
    for i = 1, limits do
      -- + batch_room
    end
    -- + batch_costs
    -- An expired reservation may have something to give back.
    if denied and not problem and call('EXISTS', KEYS[groups + group]) == 1 then
      problem = 'LEFT'
    end
    if taken > 0 and not problem then
      -- + batch_take
    end
    r = r + 1
    reply[r] = problem or taken
    for i = 1, problem and 0 or limits do
      reply[r + 1], reply[r + 2] = found_t[i], found_u[i]
      r = r + 2
    end
  end
end
return reply
