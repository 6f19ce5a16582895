-- Twin of dev.sluice.algorithm.SlidingLog.
-- KEYS   the list of hit_log.lua; totals modulo 2^24 take five bytes, so a hit takes fifteen
-- ARGV   permits, period
local sliding_log = { l = 0, books = true, undo = hit_log.undo }

function sliding_log.read(s, now, permits, per)
  s.permits, s.per = permits + 0, per + 0
  hit_log.read(s, 2 ^ 24)
end

function sliding_log.settle(s, now)
  s.restarted = s.seen and s.seen > now + s.per
  if s.restarted then
    hit_log.restart(s, now, now)
  end
end

local function used(s, now)
  return s.last_total - total(s, hit_log.count_until(s, present(s, now) - s.per))
end

function sliding_log.earliest(s, cost, now)
  local taken = used(s, now) + cost
  if taken <= s.permits then
    return now
  elseif taken > 2 ^ 23 then
    return now + FAR
  end
  local last = hit_log.first_reaching(s, s.last_total + cost - s.permits)
  return max(time(s, last) + s.per, s.last_time)
end

function sliding_log.charge(s, cost, now, at)
  local from = present(s, now)
  local expired = hit_log.count_until(s, from - s.per)
  hit_log.append(s, expired, max(at, from, s.last_time or 0), cost, from)
end

function sliding_log.refund(s, cost, now, at)
  local from = present(s, now)
  hit_log.refund(s, cost, hit_log.count_until(s, from - s.per) + 1, from, at)
end

function sliding_log.postpone(s, cost, now, at)
  if at < present(s, now) then
    hit_log.postpone(s, cost, present(s, now), at)
  end
end

function sliding_log.remaining(s, now)
  return max(0, s.permits - used(s, now))
end

function sliding_log.reset_at(s, now)
  return s.last_time and s.last_time + s.per or s.seen or now
end

function sliding_log.save(s, now)
  hit_log.save(s, sliding_log.reset_at(s, now), now)
end

algorithms.l = sliding_log
