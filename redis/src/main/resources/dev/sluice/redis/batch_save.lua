-- Part of batch.lua: writes the value of a group.
-- + cell_life
if not lives[life] then
  lives[life] = format('%d', life)
end
local done
if cell then
  done = try('SET', key, value, 'PX', lives[life])
else
  -- MGET shows nothing of a value that is no string; GET would say so.
  done = try('SET', key, value, 'PX', lives[life], 'NX')
end
if not done then
  problem = 'WRONGTYPE Operation against a key holding the wrong kind of value'
elseif done.err then
  -- No memory: refused before anything was written, and acquire.lua knows what can be done.
  problem = string.find(done.err, 'OOM', 1, true) and 'LEFT' or done.err
end
