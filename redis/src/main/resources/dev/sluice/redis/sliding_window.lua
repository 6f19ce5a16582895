-- Twin of dev.sluice.algorithm.SlidingWindow.
-- KEYS   the list of hit_log.lua, a hit for each block, at the block's start
-- ARGV   permits, period, precision
local sliding_window = { w = 3, books = true, undo = hit_log.undo }

function sliding_window.read(s, now, _, permits, per, precision)
  s.permits, s.per, s.precision = permits + 0, per + 0, precision + 0
  hit_log.read(s, 2 ^ 52)
end

local function block_of(s, x)
  return x - x % s.precision
end

function sliding_window.settle(s, now)
  -- The first permit of a block comes back a little later than a period; that must not add up.
  local late = floor(s.precision / s.permits)
  s.restarted = s.seen and s.seen > now + s.per - late
  if s.restarted then
    hit_log.restart(s, block_of(s, now), now)
  end
end

local function estimate(s, now)
  local from = present(s, now)
  local leaving = block_of(s, from) - s.per
  local whole = hit_log.count_until(s, leaving)
  local sum = s.last_total - total(s, whole)
  if whole > 0 and time(s, whole) == leaving then
    local count = total(s, whole) - total(s, whole - 1)
    sum = sum + count - mul_div(count, from % s.precision, s.precision)
  end
  return sum
end

function sliding_window.earliest(s, cost, now)
  local taken = estimate(s, now) + cost
  if taken <= s.permits then
    return now
  elseif taken > 2 ^ 51 then
    return now + FAR
  end
  local leaving = hit_log.first_reaching(s, s.last_total + cost - s.permits)
  local count = total(s, leaving) - total(s, leaving - 1)
  local room = s.permits - cost - (s.last_total - total(s, leaving))
  local into = s.precision - mul_div(room, s.precision, count)
  return max(time(s, leaving) + s.per + into, s.last_time)
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
