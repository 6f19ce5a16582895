-- Twin of dev.sluice.algorithm.SlidingWindow, its blocks: the oldest counts by its overlap.

local function block_of(s, x)
  return x - x % s.precision
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

-- The instant at which so much of the oldest blocks has left that the cost has room.
local function leaves_room_at(s, cost)
  local leaving = hit_log.first_reaching(s, s.last_total + cost - s.permits)
  local count = total(s, leaving) - total(s, leaving - 1)
  local room = s.permits - cost - (s.last_total - total(s, leaving))
  local into = s.precision - mul_div(room, s.precision, count)
  return max(time(s, leaving) + s.per + into, s.last_time)
end
