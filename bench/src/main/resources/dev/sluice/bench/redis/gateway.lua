-- The token bucket of Spring Cloud Gateway: whole seconds, two keys, both read and both written with
-- SETEX. Written anew from its description.
-- KEYS one, whose name the two are made of. ARGV tokens a second, capacity.
local tokens_key, timestamp_key = KEYS[1] .. '.tokens', KEYS[1] .. '.timestamp'
local rate, capacity, requested = ARGV[1] + 0, ARGV[2] + 0, 1
local now = redis.call('TIME')[1] + 0
local ttl = math.max(1, math.floor(capacity / rate * 2))
local last_tokens = tonumber(redis.call('GET', tokens_key)) or capacity
local last_refreshed = tonumber(redis.call('GET', timestamp_key)) or 0
local filled = math.min(capacity, last_tokens + math.max(0, now - last_refreshed) * rate)
local allowed = filled >= requested
local left = allowed and filled - requested or filled
redis.call('SETEX', tokens_key, ttl, string.format('%.0f', left))
redis.call('SETEX', timestamp_key, ttl, string.format('%.0f', now))
return { allowed and 1 or 0, left }
