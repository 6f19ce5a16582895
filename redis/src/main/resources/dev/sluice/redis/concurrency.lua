-- Twin of dev.sluice.algorithm.Concurrency.
-- KEYS   the sorted set of leases.lua
-- ARGV   permits, lease, the id of what is taken
local concurrency = { c = 3, books = false }

function concurrency.read(s, now, permits, per, id)
  s.permits, s.per, s.id = permits + 0, per + 0, id
  s.total, s.ended, s.last_end = 0, 0, last_end(s)
  s.known = s.last_end ~= nil
  if s.known then
    s.total = call('ZSCORE', s.key, ':') + 0
    s.ended = ended_by(s, now)
    s.drops = s.ended > 0
  end
end

-- After a step back of the clock no lease ends later than one lease from now.
function concurrency.settle(s, now)
  s.restarted = s.last_end and s.last_end > now + 2 * s.per and seen(s) > now + s.per
  if s.restarted then
    s.latest, s.last_end = now + s.per, now + s.per
  end
end

function concurrency.earliest(s, cost, now)
  local over = s.total - s.ended + cost - s.permits
  if over <= 0 then
    return now
  end
  local ends = end_of(s, over, now)
  return ends and min(ends + 0, s.latest or ends + 0) or now
end

function concurrency.charge(s, cost, now, at)
  cut_to_latest(s)
  drop_ended(s, now)
  local ahead = s.last_end and s.last_end > now + s.per
  hold(s, s.id, cost, at + s.per, ahead and max(now, seen(s)) or now)
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
