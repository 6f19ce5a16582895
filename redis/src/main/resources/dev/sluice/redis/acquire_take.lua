-- Part of acquire.lua: what the limit whose arguments come next says, and its new state.
local remaining = ARGV[a] - u
if aligned == 'epoch' or aligned == 'first' then
  local per = ARGV[a + 1] + 0
  reset = u == 0 and t - now or (aligned == 'first' and t or t - t % per) + per - now
  a = a + 3
else
  local n, p = ARGV[a + 1] + 0, aligned + 0
  local rest = u % n
  reset = t - now + (u - rest) / n * p
  if n > 1 then
    local gained = t < now and (now - t) * n or 0
    remaining = remaining + (gained - gained % p) / p
    reset = reset + math.ceil(rest * p / n)
  end
  a = a + 4
end
if allowed then
  local value, life
  -- + cell_value
  if try('SET', KEYS[i], value, 'PX', life).err then
    -- No memory: refused, unless all keys are there and none grows; see prelude.lua.
    if known then
      call('PEXPIRE', KEYS[i], life)
    end
    call('SET', KEYS[i], value, 'PX', life)
  end
end
reply[3 * i + 2], reply[3 * i + 3] = remaining > 0 and remaining or 0, reset
