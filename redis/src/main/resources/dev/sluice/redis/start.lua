-- What every script starts with: commands, and the clock, which is read once. In tests ARGV ends with
-- at and the present; keys then outlive their limits by an hour, for the server's clock is another.
local call, try, format, sub = redis.call, redis.pcall, string.format, string.sub

-- Numbers of eight bytes are read and written faster than texts.
local numbers, packed = struct.unpack, struct.pack

-- The number of a window counts from EPOCH on, and that of a bucket in rounds of ROUND; see cells.lua.
local EPOCH, ROUND, HALF, TERM = 1577836800000000, 2 ^ 40, 2 ^ 39, 16384

-- How long, in microseconds, a key is kept past its reset, for a clock that steps back a little.
local now, grace = 0, 1000000
if ARGV[#ARGV - 1] == 'at' then
  now, grace = ARGV[#ARGV] + 0, 3600000000
else
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end
