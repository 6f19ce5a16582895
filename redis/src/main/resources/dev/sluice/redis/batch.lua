-- Many requests for plain token buckets and fixed windows in one call, in groups of one plan and key.
-- The requests of a group are decided in order of arrival, at one instant, from one state: the steps
-- of acquire.lua, but equal costs in a row at once. No group knows of another: what is rare is left
-- undone, and an error is told, for its group alone.
-- KEYS  for each group the value of cells.lua
-- ARGV  the number of groups; for each plan its limits as they stand in the value, the number of its
--       groups, the numbers of its limits as in acquire.lua; and, eight bytes each, for each group the cost
--       of its only request, or minus the number of its runs and for each how many requests of which cost
-- Reply now, eight bytes; then for each group what dev.sluice.redis.BatchReply reads: what batch_buckets.lua
--       or batch_cells.lua says, or, if it was not decided, minus the number of a text, LEFT or the error,
--       and these texts follow.
local keys, groups, before, a = KEYS, ARGV[1] + 0, 0, 2
local cells = call('MGET', unpack(keys))
local reply, texts, lives = { packed('<d', now) }, {}, {}
while before < groups do
  local ids, first, last, rules = ARGV[a], before + 1, before + ARGV[a + 1], ARGV[a + 2]
  local costs, c = { numbers('<' .. string.rep('d', #ARGV[a + 3] / 8), ARGV[a + 3]) }, 1
  if ids == 't\n' then
    -- + batch_buckets
  else
    -- + batch_cells
  end
  before, a = last, a + 4
end
reply = table.concat(reply, '\n')
return texts[1] and { reply, unpack(texts) } or reply
