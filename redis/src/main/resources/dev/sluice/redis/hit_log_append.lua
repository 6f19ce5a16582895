-- Twin of dev.sluice.algorithm.HitLog, a hit more, and those that have expired.

-- Drops the oldest hits, as many as have expired.
local function drop_first(s, expired)
  call('LTRIM', s.key, text(2 * expired), '-1')
  local dropped = total(s, expired)
  s.times = { time(s, expired + 1) }
  s.totals = { [0] = 0, total(s, expired + 1) - dropped }
  s.header, s.base, s.last_total = 0, s.base + dropped, s.last_total - dropped
  s.size = s.size and s.size - expired
end

-- Adds a hit that is not older than the newest, to a log of which some have expired.
function hit_log.append(s, expired, at, cost, present)
  if s.unwritten then
    create(s)
  end
  s.seen = present
  if not s.known or expired > 0 and expired == size(s) then
    s.last_time, s.last_total = at, cost
    return create(s)
  end
  if expired > 0 then
    drop_first(s, expired)
  end
  s.last_total = s.last_total + cost
  if s.last_time == at then
    write(s, 'LSET', '-1', stored(s, s.last_total))
  else
    write(s, 'RPUSH', text(at), stored(s, s.last_total))
    s.size = s.size and s.size + 1
  end
  -- Only the oldest hit is still known for sure.
  s.times, s.totals = { s.times[1] or at }, { [0] = 0, s.totals[1] }
  if s.times[1] == at then
    s.totals[1] = s.last_total
  end
  s.last_time = at
  write_seen(s)
end
