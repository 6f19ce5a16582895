-- Shared by all scripts: exact numbers, how long a key lives, and what may need memory.
-- Numbers are doubles: whole numbers are exact below 2^53 and must be written with %.0f, or with %d where
-- speed matters; other ways of writing them lose digits or use exponents.
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min

-- A century: further than any booking goes.
local FAR = 3155760000000000

local function text(number)
  return format('%.0f', number)
end

-- Milliseconds for which a key is kept.
local function ttl(reset_at, now)
  return text(ceil((max(0, reset_at - now) + grace) / 1000))
end

-- A write that may need memory. Where there is none, the server refuses the first such write of a
-- script, but not those after one that needs none: a key that is there is still charged, a new one not.
local function write(s, command, ...)
  local result = try(command, s.key, ...)
  if type(result) == 'table' and result.err then
    if s.known then
      call('PEXPIRE', s.key, text(max(1, call('PTTL', s.key))))
    end
    result = call(command, s.key, ...)
  end
  return result
end

-- The algorithms by the letters of a call's limits.
local algorithms = {}
