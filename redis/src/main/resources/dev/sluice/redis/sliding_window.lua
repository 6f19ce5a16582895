-- Twin of dev.sluice.algorithm.SlidingWindow.
-- KEYS   the list of hit_log.lua, a hit for each block, at the block's start
-- ARGV   permits, period, precision
local sliding_window = { w = 3, books = true }

local MOST_BOOKED, FAR = 2 ^ 51, 3155760000000000

-- The quotient a * b / c, rounded down, for products that may not be exact: bit by bit.
local function mul_div(a, b, c)
  if a * b < 2 ^ 53 then
    return math.floor(a * b / c)
  end
  local quotient, rest, bit = 0, 0, 2 ^ 52
  while bit >= 1 do
    local taken = a >= bit and b or 0
    a = a >= bit and a - bit or a
    local sum = 2 * rest + taken % c
    rest = sum % c
    quotient = 2 * quotient + (taken - taken % c) / c + (sum - rest) / c
    bit = bit / 2
  end
  return quotient
end

function sliding_window.read(s, now, _, permits, per, precision)
  s.permits, s.per, s.precision = permits + 0, per + 0, precision + 0
  hit_log.read(s, 2 ^ 52)
end

local function block_of(s, x)
  return x - x % s.precision
end

function sliding_window.settle(s, now)
  -- The first permit of a block comes back a little later than a period; that must not add up.
  local late = math.floor(s.precision / s.permits)
  s.restarted = s.seen and s.seen > now + s.per - late
  if s.restarted then
    hit_log.restart(s, block_of(s, now), now)
  end
end

local function present(s, now)
  return s.seen and max(now, s.seen) or now
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
  elseif taken > MOST_BOOKED then
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
  local newest = hit_log.count_until(s, at == 0 and from or block_of(s, at))
  if at == 0 then
    hit_log.take_back(s, oldest, newest, cost)
  elseif newest >= oldest and time(s, newest) == block_of(s, at) then
    hit_log.take_back(s, newest, newest, cost)
  end
end

function sliding_window.undo(s, cost)
  -- Read again: another request of the same call may have given something back since.
  hit_log.read(s, s.modulus)
  hit_log.take_back(s, size(s), size(s), cost)
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
