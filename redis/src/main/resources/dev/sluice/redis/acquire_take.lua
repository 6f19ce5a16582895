-- Part of acquire.lua: what limit i says, and its new state.
local most, n, p, per = numbers('<dddd', ARGV[i + 3])
local remaining = most - u
if n == 0 then
  reset = u == 0 and t - now or (p == 1 and t or t - t % per) + per - now
else
  local rest = u % n
  reset = t - now + (u - rest) / n * p
  if n > 1 then
    local gained = t < now and (now - t) * n or 0
    remaining = remaining + (gained - gained % p) / p
    reset = reset + math.ceil(rest * p / n)
  end
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
