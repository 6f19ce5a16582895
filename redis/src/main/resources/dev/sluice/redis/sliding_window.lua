-- Twin of dev.sluice.algorithm.SlidingWindow.
-- KEYS   the list of hit_log.lua, a hit for each block, at the block's start
-- ARGV   permits, period, precision
local sliding_window = { w = 0, books = true, undo = hit_log.undo }

function sliding_window.read(s, now, permits, per, precision)
  s.permits, s.per, s.precision = permits + 0, per + 0, precision + 0
  hit_log.read(s, 2 ^ 52)
end

function sliding_window.settle(s, now)
  -- The first permit of a block comes back a little later than a period; that must not add up.
  local late = floor(s.precision / s.permits)
  s.restarted = s.seen and s.seen > now + s.per - late
  if s.restarted then
    hit_log.restart(s, block_of(s, now), now)
  end
end

function sliding_window.earliest(s, cost, now)
  local taken = estimate(s, now) + cost
  if taken <= s.permits then
    return now
  elseif taken > 2 ^ 51 then
    return now + FAR
  end
  return leaves_room_at(s, cost)
end

function sliding_window.charge(s, cost, now, at)
  local from = present(s, now)
  local expired = hit_log.count_until(s, block_of(s, from) - s.per - 1)
  hit_log.append(s, expired, max(block_of(s, max(at, from)), s.last_time or 0), cost, from)
end

function sliding_window.refund(s, cost, now, at)
  local from = present(s, now)
  local oldest = hit_log.count_until(s, block_of(s, from) - s.per - 1) + 1
  hit_log.refund(s, cost, oldest, from, block_of(s, at))
end

function sliding_window.remaining(s, now)
  return max(0, s.permits - estimate(s, now))
end

function sliding_window.reset_at(s, now)
  return s.last_time and s.last_time + s.per + s.precision or s.seen or now
end

function sliding_window.save(s, now)
  hit_log.save(s, sliding_window.reset_at(s, now), now)
end

algorithms.w = sliding_window
