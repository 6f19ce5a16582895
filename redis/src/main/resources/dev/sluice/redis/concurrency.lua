-- Twin of dev.sluice.algorithm.Concurrency and Leases.
-- KEYS   a sorted set: the id of each lease with the instant of its end, id: with its permits where
--        those are not one, and : with the permits of all. Permits are below INSTANTS.
-- ARGV   permits, lease, the id of what is taken
local concurrency = { c = 3, books = false }

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

function concurrency.read(s, now, _, permits, per, id)
  s.permits, s.per, s.id = permits + 0, per + 0, id
  s.total, s.ended, s.last_end = 0, 0, last_end(s)
  s.known = s.last_end ~= nil
  if s.known then
    s.total = call('ZSCORE', s.key, ':') + 0
    s.ended = call('ZCOUNT', s.key, INSTANTS, text(now))
    s.drops = s.ended > 0
    if s.drops and not single(s) then
      s.ended = 0
      each(s, INSTANTS, text(now), function(_, _, held)
        s.ended = s.ended + held
      end)
    end
  end
end

-- After a step back of the clock no lease ends later than one lease from now.
function concurrency.settle(s, now)
  s.restarted = s.last_end and s.last_end > now + 2 * s.per
  if s.restarted then
    s.latest, s.last_end = now + s.per, now + s.per
  end
end

local function cut_to_latest(s)
  while s.latest do
    local late = call('ZRANGEBYSCORE', s.key, '(' .. text(s.latest), '+inf', 'LIMIT', '0', '100')
    for i = 1, #late do
      call('ZADD', s.key, text(s.latest), late[i])
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
  s.total = call('ZINCRBY', s.key, text(-permits), ':') + 0
  call('ZREM', s.key, id, id .. ':')
  s.last_end = last_end(s)
  if not s.last_end then
    call('UNLINK', s.key)
  end
  return true
end

function concurrency.earliest(s, cost, now)
  local over = s.total - s.ended + cost - s.permits
  if over <= 0 then
    return now
  end
  local ends
  if single(s) then
    local place = text(call('ZCOUNT', s.key, '-inf', text(now)) + over - 1)
    ends = call('ZRANGE', s.key, place, place, 'WITHSCORES')[2]
  else
    ends = each(s, '(' .. text(now), '+inf', function(_, ends_at, held)
      over = over - held
      return over <= 0 and ends_at
    end)
  end
  return ends and min(ends + 0, s.latest or ends + 0) or now
end

function concurrency.charge(s, cost, now, at)
  cut_to_latest(s)
  drop_ended(s, now)
  release(s, s.id)
  s.total, s.last_end = s.total + cost, max(s.last_end or 0, at + s.per)
  call('ZADD', s.key, text(s.total), ':', text(at + s.per), s.id)
  if cost ~= 1 then
    call('ZADD', s.key, text(cost), s.id .. ':')
  end
end

function concurrency.refund() end

function concurrency.undo(s)
  release(s, s.id)
end

-- Ends the hold of that name.
function concurrency.release(s, now, id)
  cut_to_latest(s)
  drop_ended(s, now)
  return release(s, id)
end

function concurrency.remaining(s)
  return max(0, s.permits - (s.total - s.ended))
end

function concurrency.reset_at(s, now)
  return s.last_end or now
end

function concurrency.save(s, now)
  cut_to_latest(s)
  call('PEXPIRE', s.key, ttl(s.last_end or now, now))
end

algorithms.c = concurrency
