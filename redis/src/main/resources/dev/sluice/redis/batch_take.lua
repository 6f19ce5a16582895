-- Part of batch.lua: charges the limits of a group with all that its requests take.
local value, latest, done = nil, 0, nil
for i = 1, limits do
  local t, u, n, p, per, reset = ts[i], us[i] + taken, ns[i], ps[i], pers[i], 0
  if p then
    local rest = u % n
    reset = t - now + (u - rest) / n * p + math.ceil(rest * p / n)
  else
    reset = (first[i] and t or t - t % per) + per - now
  end
  latest = reset > latest and reset or latest
  -- + cell_value
end
-- + cell_life
if cell then
  done = try('SET', KEYS[group], value, 'PX', life)
else
  -- MGET shows nothing of a value that is no string; GET would say so.
  done = try('SET', KEYS[group], value, 'PX', life, 'NX')
end
if not done then
  problem = 'WRONGTYPE Operation against a key holding the wrong kind of value'
elseif done.err then
  -- No memory: refused before anything was written, and acquire.lua knows what can be done.
  problem = string.find(done.err, 'OOM', 1, true) and 'LEFT' or done.err
end
