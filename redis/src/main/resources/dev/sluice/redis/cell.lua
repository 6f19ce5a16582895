-- Part of cells_room.lua: t and u of limit i in a value of this plan, which cells.lua describes; nothing if
-- the value is of other limits or of somebody else. It is mine where it starts with the plan's line.
if mine then
  t, u = numbers('<dd', cell, #ids + 16 * i - 15)
else
  t, u = ids == 'f\n' and tonumber(sub(cell, 1, -5)), tonumber(sub(cell, -4))
  t = t and t < -ROUND and EPOCH - t
end
