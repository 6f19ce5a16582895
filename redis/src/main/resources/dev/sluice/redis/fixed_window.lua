-- Twin of dev.sluice.algorithm.FixedWindow.
-- KEYS   one value: t, the instant of the last charge (or the start of a rolling window), and u, the
--        count in the newest window plus 2^40 for each window that it lies ahead
-- ARGV   f: permits, period, epoch or first (windows start with the first request)
--        F, by the calendar: permits, longest period, how far ahead a request may pass, the number
--        of starts, the starts of windows in order
local fixed_window = { f = 3, F = 4, cell = true, books = true }

local AHEAD, MOST_AHEAD, FAR = 2 ^ 40, 8190, 3155760000000000

-- How many of the known windows have started by x.
local function started(s, x)
  local count = #s.starts
  while count > 0 and s.starts[count] > x do
    count = count - 1
  end
  return count
end

-- An instant in the present window.
local function origin(s, now)
  return s.rolls and s.u > 0 and s.t or max(now, s.t)
end

local function start(s, x, offset)
  if s.starts then
    -- Beyond what came with the call lies nothing that is ever asked for precisely.
    return s.starts[started(s, x) + offset] or 2 ^ 53
  end
  return (s.rolls and x or x - x % s.per) + offset * s.per
end

-- How many windows start after from and by to.
local function windows_between(s, from, to)
  if to <= from then
    return 0
  elseif s.starts then
    return started(s, to) - started(s, from)
  elseif s.rolls then
    return math.floor((to - from) / s.per)
  end
  return math.floor(to / s.per) - math.floor(from / s.per)
end

function fixed_window.read(s, now, value, permits, per, rolls, count, ...)
  s.permits, s.per, s.rolls = permits + 0, per + 0, rolls == 'first'
  read_cell(s, value, now, 0)
  if count then
    s.horizon, s.starts = rolls + 0, { ... }
    for i = 1, #s.starts do
      s.starts[i] = s.starts[i] + 0
    end
  end
end

-- One more than the windows booked ahead, if the starts that came with the call do not reach so far, or
-- not so far back as to tell how many windows have passed since the last charge.
function fixed_window.uncovered(s, now)
  local ahead, count = math.floor(s.u / AHEAD), #s.starts
  local present = started(s, now)
  local latest = s.t - now > s.per and now or max(now, s.t)
  local reached = max(started(s, latest) + ahead, started(s, now + s.horizon)) + 2
  if present == 0 or reached > count or (s.t < s.starts[1] and present <= ahead) then
    return ahead + 1
  end
end

function fixed_window.settle(s, now)
  if s.t > now then
    s.restarted = s.t - now > s.per
    s.t = s.restarted and now or s.t
    return
  end
  local ahead, passed = math.floor(s.u / AHEAD), windows_between(s, s.t, now)
  if passed > ahead then
    s.t, s.u = now, 0
  elseif passed > 0 then
    s.t = s.rolls and s.t + passed * s.per or now
    s.u = s.u - passed * AHEAD
  end
end

function fixed_window.earliest(s, cost, now)
  local window = math.floor(s.u / AHEAD) + (s.u % AHEAD + cost <= s.permits and 0 or 1)
  if window == 0 then
    return now
  end
  return window > MOST_AHEAD and now + FAR or start(s, origin(s, now), window)
end

function fixed_window.charge(s, cost, now, at)
  s.before_t, s.before_u = s.t, s.u
  local from, ahead = origin(s, now), math.floor(s.u / AHEAD)
  local window = max(ahead, windows_between(s, from, at))
  s.t, s.u = from, window * AHEAD + (window == ahead and s.u % AHEAD or 0) + cost
end

function fixed_window.refund(s, cost, now, at)
  local from = origin(s, now)
  local over = at > 0 and at < start(s, from, 0)
  -- Only the newest window has its count; a place in an older one is lost.
  if not over and windows_between(s, from, at) == math.floor(s.u / AHEAD) then
    s.u = s.u - min(cost, s.u % AHEAD)
  end
end

function fixed_window.undo(s)
  s.t, s.u = s.before_t, s.before_u
end

function fixed_window.remaining(s)
  return s.u >= AHEAD and 0 or max(0, s.permits - s.u)
end

function fixed_window.reset_at(s)
  -- Rounded up: in a window ahead whose bookings were all given back there is nothing to reset.
  return s.u == 0 and s.t or start(s, s.t, math.ceil(s.u / AHEAD))
end

function fixed_window.save(s, now)
  save_cell(s, fixed_window.reset_at(s), now)
end

algorithms.f, algorithms.F = fixed_window, fixed_window
