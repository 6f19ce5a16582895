-- The log of the textbooks: a sorted set with a member for each hit, scored with its time.
-- KEYS one. ARGV permits, period in microseconds, a number that no other request has.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, string.format('%.0f', now - ARGV[2]))
local count = redis.call('ZCARD', KEYS[1])
if count >= ARGV[1] + 0 then
  return { 0, 0 }
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[3])
redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[2] / 1000))
return { 1, ARGV[1] - count - 1 }
