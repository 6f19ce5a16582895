-- Shared by all scripts: exact numbers, how long a key lives, and the value of a bucket or a window.
-- Numbers are doubles: whole numbers are exact below 2^53 and must be written with %.0f, for other
-- ways of writing them lose digits or use exponents.
local call, format, sub, max, min = redis.call, string.format, string.sub, math.max, math.min
local floor, ceil = math.floor, math.ceil

-- Earlier instants and more than 9999 permits are written as t:u, the rest as one number of at most
-- 19 digits, which Redis keeps in the key's own 16 bytes.
local EPOCH, MOST_PACKED = 1577836800000000, 9999

-- A century: further than any booking goes.
local FAR = 3155760000000000

local function text(number)
  return format('%.0f', number)
end

-- Milliseconds for which a key is kept: a second past its reset, for a clock that steps back a
-- little.
local function ttl(reset_at, now)
  return text(ceil(max(0, reset_at - now) / 1000) + 1000)
end

-- A write that may need memory. Where there is none, the server refuses the first such write of a
-- script, but not those after one that needs none: a key that is there is still charged, a new one not.
local function write(s, command, ...)
  local result = redis.pcall(command, s.key, ...)
  if type(result) == 'table' and result.err then
    if s.known then
      call('PEXPIRE', s.key, text(max(1, call('PTTL', s.key))))
    end
    result = call(command, s.key, ...)
  end
  return result
end

-- The state of a key never seen is what was used of it already.
local function read_cell(s, value, now, used)
  s.t, s.u, s.known = now, used, value and true
  if value then
    local t = tonumber(sub(value, 1, -5))
    if t then
      s.t, s.u = t + EPOCH, tonumber(sub(value, -4))
    else
      t, s.u = string.match(value, '^(.+):(.+)$')
      s.t, s.u = tonumber(t), tonumber(s.u)
    end
  end
end

local function save_cell(s, reset_at, now)
  local value
  if s.u <= MOST_PACKED and s.t >= EPOCH then
    value = format('%.0f%04.0f', s.t - EPOCH, s.u)
  else
    value = format('%.0f:%05.0f', s.t, s.u)
  end
  write(s, 'SET', value, 'PX', ttl(reset_at, now))
end

-- The algorithms by the letters of a call's limits.
local algorithms = {}
