-- Twin of dev.sluice.algorithm.Leases.
-- KEYS   a sorted set: the id of each lease with the instant of its end, id: with its permits where
--        those are not one, and : with the permits of all. Permits are below INSTANTS.
local INSTANTS = '2199023255552'

local function last_end(s)
  local last = call('ZREVRANGE', s.key, '0', '0', 'WITHSCORES')
  return last[1] and last[1] ~= ':' and last[2] + 0 or nil
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
  return call('ZCARD', s.key) - 1 == call('ZCOUNT', s.key, INSTANTS, '+inf')
end

local function cut_to_latest(s)
  while s.latest do
    local late = call('ZRANGEBYSCORE', s.key, '(' .. text(s.latest), '+inf', 'LIMIT', '0', '100')
    for i = 1, #late do
      write(s, 'ZADD', text(s.latest), late[i])
    end
    s.latest = #late > 0 and s.latest or nil
  end
end

local function drop_ended(s, now)
  if s.drops then
    if not single(s) then
      each(s, INSTANTS, text(now), function(id)
        call('ZREM', s.key, id .. ':')
      end)
    end
    call('ZREMRANGEBYSCORE', s.key, INSTANTS, text(now))
    s.total, s.ended, s.drops = s.total - s.ended, 0, false
    call('ZADD', s.key, text(s.total), ':')
  end
end

local function release(s, id)
  if not call('ZSCORE', s.key, id) then
    return false
  end
  local permits = call('ZSCORE', s.key, id .. ':') or 1
  s.total = write(s, 'ZINCRBY', text(-permits), ':') + 0
  call('ZREM', s.key, id, id .. ':')
  s.last_end = last_end(s)
  if not s.last_end then
    call('UNLINK', s.key)
  end
  return true
end
