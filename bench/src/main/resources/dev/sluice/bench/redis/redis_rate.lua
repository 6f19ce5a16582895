-- GCRA as redis_rate does it: seconds as fractions since 2017, state written with EX, five numbers
-- back, some of them as text. Written anew from its description.
-- KEYS one. ARGV burst, rate, period in seconds, cost.
local burst, rate, period, cost = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, 1
local interval = period / rate
local increment = interval * cost
local offset = interval * burst
local time = redis.call('TIME')
local now = (time[1] - 1483228800) + time[2] / 1000000
local tat = tonumber(redis.call('GET', KEYS[1]) or now)
tat = math.max(tat, now)
local new = tat + increment
local allow_at = new - offset
local remaining = (now - allow_at) / interval
if remaining < 0 then
  return { 0, 0, tostring(allow_at - now), tostring(tat - now) }
end
local reset = new - now
if reset > 0 then
  redis.call('SET', KEYS[1], string.format('%.6f', new), 'EX', math.ceil(reset))
end
return { 1, math.floor(remaining), '-1', tostring(reset) }
