-- Part of batch.lua: what the requests of a group take of the room, in order of arrival. Who finds too
-- little takes nothing, and is no hindrance to those after him.
c = c + 1
if cost > 0 then
  denied = cost > room
  taken = denied and 0 or cost
end
for _ = 1, -cost do
  local times, each = costs[c], costs[c + 1]
  local fit = (room - room % each) / each
  c = c + 2
  if fit < times then
    denied, fit = true, fit > 0 and fit or 0
  else
    fit = times
  end
  room, taken = room - fit * each, taken + fit * each
end
