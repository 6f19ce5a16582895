-- Twin of dev.sluice.algorithm.Leases.
-- KEYS   a sorted set: the id of each lease with the instant of its end, id: with its permits where
--        those are not one, : with the permits of all, and :: with minus the clock at the last hold.
--        Permits are below INSTANTS.
local INSTANTS = '2199023255552'

local function last_end(s)
  local last = call('ZREVRANGE', s.key, '0', '0', 'WITHSCORES')
  return last[1] and last[1] ~= ':' and last[2] + 0 or nil
end

local function seen(s)
  return -(call('ZSCORE', s.key, '::') or 0)
end

-- Asks with id, end and permits of each lease from low to high, in chunks, for there may be many,
-- until something is answered.
local function each(s, low, high, ask)
  local offset, found = 0, nil
  repeat
    found = call('ZRANGEBYSCORE', s.key, low, high, 'WITHSCORES', 'LIMIT', text(offset), '100')
    for i = 1, #found, 2 do
      local permits = (call('ZSCORE', s.key, found[i] .. ':') or 1) + 0
      local answer = ask(found[i], found[i + 1] + 0, permits)
      if answer then
        return answer
      end
    end
    offset = offset + 100
  until #found < 200
end

-- Whether every lease is of one permit: then it is enough to count them.
local function single(s)
  return call('ZCOUNT', s.key, '0', '(' .. INSTANTS) == 1
end

-- Permits of the leases that have ended.
local function ended_by(s, now)
  local ended = call('ZCOUNT', s.key, INSTANTS, text(now))
  if ended > 0 and not single(s) then
    ended = 0
    each(s, INSTANTS, text(now), function(_, _, held)
      ended = ended + held
    end)
  end
  return ended
end

-- The first instant by which at least so many permits of those held after now have ended.
local function end_of(s, permits, now)
  if single(s) then
    local place = text(call('ZCOUNT', s.key, '-inf', text(now)) + permits - 1)
    return call('ZRANGE', s.key, place, place, 'WITHSCORES')[2]
  end
  return each(s, '(' .. text(now), '+inf', function(_, ends, held)
    permits = permits - held
    return permits <= 0 and ends
  end)
end
