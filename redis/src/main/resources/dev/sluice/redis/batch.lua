-- Many requests for plain token buckets and fixed windows in one call, in groups of one plan and key.
-- The requests of a group are decided in order of arrival, at one instant, from one state: the steps
-- of acquire.lua, but equal costs in a row at once. No group knows of another: what is rare is left
-- undone, and an error is told, for its group alone.
-- KEYS  for each group a key for each limit; then for each group the key of its reservations
-- ARGV  the number of groups; for each plan the number of its limits and groups, the four numbers of
--       each limit as in acquire.lua, and for each group the cost of its only request, or minus the number
--       of its runs and for each how many requests of which cost
-- Reply now; for each group the permits taken, and t and u of each limit as they were found: from
--       these dev.sluice.redis.Group tells the answers. Or a text: LEFT, or the error.
local groups, group, k, a = ARGV[1] + 0, 0, 0, 2
local cells = call('MGET', unpack(KEYS, 1, #KEYS - groups))
local reply, r = { now }, 1
local found_t, found_u, ts, us = {}, {}, {}, {}
while group < groups do
  local limits, last = ARGV[a] + 0, group + ARGV[a + 1]
  a = a + 2
  -- + batch_plan
  while group < last do
    group = group + 1
    local room, problem, taken, denied = 2 ^ 53, nil, 0, false
    for i = 1, limits do
      -- + batch_room
    end
    -- + batch_costs
    -- An expired reservation may have something to give back.
    if denied and not problem and call('EXISTS', KEYS[#KEYS - groups + group]) == 1 then
      problem = 'LEFT'
    end
    for i = 1, taken > 0 and limits or 0 do
      if not problem then
        -- + batch_take
      end
    end
    r = r + 1
    reply[r] = problem or taken
    for i = 1, problem and 0 or limits do
      reply[r + 1], reply[r + 2] = found_t[i], found_u[i]
      r = r + 2
    end
    k = k + limits
  end
end
return reply
