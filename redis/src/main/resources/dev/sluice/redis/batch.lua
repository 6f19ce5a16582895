-- Many requests for plain token buckets and fixed windows in one call, in groups of one plan and key.
-- The requests of a group are decided in order of arrival, at one instant, from one state: the steps
-- of acquire.lua, but equal costs in a row at once. No group knows of another: what is rare is left
-- undone, and an error is told, for its group alone.
-- KEYS  for each group the value of cells.lua
-- ARGV  the number of groups; for each plan its limits as they stand in the value, the number of its
--       groups, the numbers of its limits as in acquire.lua; and, eight bytes each, for each group the cost
--       of its only request, or minus the number of its runs and for each how many requests of which cost
-- Reply now, eight bytes; then for each group what dev.sluice.redis.BatchReply reads: of a bucket alone its
--       value as it was found, if it is a number or there is none and all that was asked was taken, else the
--       permits taken, t and u as texts; of others these as eight bytes each; of a group that was not
--       decided minus the number of a text, LEFT or the error, and these texts follow.
local groups, group, a = ARGV[1] + 0, 0, 2
local cells = call('MGET', unpack(KEYS))
local reply, texts, lives = { packed('<d', now) }, {}, {}
while group < groups do
  local ids, last, rules = ARGV[a], group + ARGV[a + 1], ARGV[a + 2]
  local limits, most, n, p, per = #rules / 32, numbers('<dddd', rules)
  local costs, c = { numbers('<' .. string.rep('d', #ARGV[a + 3] / 8), ARGV[a + 3]) }, 1
  a = a + 4
  while group < last do
    group = group + 1
    local cell, room, problem, taken, denied = cells[group], 0, nil, 0, false
    local t, u, code, term, number, found_t, found_u, found, ts, us = now, 0, 0, 0, nil, nil, nil, nil, nil, nil
    if ids == 't\n' then
      -- + bucket_room
    else
      -- + cells_room
    end
    -- + batch_costs
    if taken > 0 and not problem then
      local value, latest = nil, 0
      if ids == 't\n' then
        -- + bucket_take
        -- + batch_raise
      else
        -- + cells_take
      end
      if value then
        -- + batch_save
      end
    end
    if problem then
      texts[#texts + 1] = problem
      reply[group + 1] = found and packed('<d', -#texts) or '-' .. #texts
    elseif found then
      reply[group + 1] = packed('<d', taken) .. found
    elseif denied or cell and not number then
      reply[group + 1] = format('%d %d %d', taken, found_t, found_u)
    else
      reply[group + 1] = cell or ''
    end
  end
end
reply = table.concat(reply, '\n')
return texts[1] and { reply, unpack(texts) } or reply
