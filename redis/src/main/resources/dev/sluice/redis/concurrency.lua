-- Twin of dev.sluice.algorithm.Concurrency.
-- KEYS   the sorted set of leases.lua
-- ARGV   permits, lease, the id of what is taken
local concurrency = { c = 3, books = false }

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
  -- A forced request may find nothing to hold: then there is no lease.
  if cost > 0 then
    s.total, s.last_end = s.total + cost, max(s.last_end or 0, at + s.per)
    write(s, 'ZADD', text(s.total), ':', text(at + s.per), s.id)
  end
  if cost > 1 then
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
