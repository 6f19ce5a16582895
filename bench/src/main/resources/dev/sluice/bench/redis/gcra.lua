-- The least that a generic cell rate limiter needs: one number, the server's clock in microseconds.
-- KEYS one. ARGV microseconds for a permit, tolerance in microseconds. Reply 1 or 0, and the wait.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local tat = tonumber(redis.call('GET', KEYS[1]) or now)
if tat < now then
  tat = now
end
local new = tat + ARGV[1]
local wait = new - ARGV[2] - now
if wait > 0 then
  return { 0, wait }
end
redis.call('SET', KEYS[1], string.format('%.0f', new), 'PX', string.format('%.0f', (new - now) / 1000 + 1))
return { 1, 0 }
