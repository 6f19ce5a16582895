-- Part of other files: what the value of a bucket or a window says. From cell to t and u, both nothing
-- if the value is somebody else's.
t, u = tonumber(sub(cell, 1, -5)), tonumber(sub(cell, -4))
if t then
  t = t + EPOCH
else
  t, u = string.match(cell, '^(%d+):(%d+)$')
  t, u = tonumber(t), tonumber(u)
end
