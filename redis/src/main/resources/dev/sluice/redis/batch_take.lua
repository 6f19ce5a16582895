-- Part of batch.lua: charges limit i of a group with all that its requests take.
local t, u, n, p, per, reset = ts[i], us[i] + taken, ns[i], ps[i], pers[i], 0
local value, life, done
if p then
  local rest = u % n
  reset = t - now + (u - rest) / n * p + math.ceil(rest * p / n)
else
  reset = (first[i] and t or t - t % per) + per - now
end
-- + cell_value
if cells[k + i] or limits > 1 then
  done = try('SET', KEYS[k + i], value, 'PX', life)
else
  -- MGET shows nothing of a value that is no string; GET would say so.
  done = try('SET', KEYS[k + i], value, 'PX', life, 'NX')
end
if not done then
  problem = 'WRONGTYPE Operation against a key holding the wrong kind of value'
elseif done.err then
  -- No memory: refused before anything was written, and acquire.lua knows what can be done.
  problem = string.find(done.err, 'OOM', 1, true) and 'LEFT' or done.err
end
