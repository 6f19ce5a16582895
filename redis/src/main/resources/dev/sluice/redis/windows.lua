-- Twin of dev.sluice.algorithm.FixedWindow, its windows: of equal length since the epoch or (s.rolls)
-- since the first request, or those of the calendar, whose starts come with the call.
local AHEAD = 2 ^ 40

-- So many windows less one; by the calendar so many days.
local MOST_AHEAD, CALENDAR_REACH = 8190, 86400000000000

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
    return floor((to - from) / s.per)
  end
  return floor(to / s.per) - floor(from / s.per)
end

-- The last instant for which a permit can be counted.
local function reach(s, now)
  return now + (s.starts and CALENDAR_REACH or (MOST_AHEAD - 1) * s.per)
end

-- One more than the windows booked ahead, if the starts that came with the call do not reach so far, or
-- not so far back as to tell how many windows have passed since the last charge.
local function uncovered(s, now)
  local ahead, count = floor(s.u / AHEAD), #s.starts
  local present = started(s, now)
  local latest = s.t - now > s.per and now or max(now, s.t)
  local reached = max(started(s, latest) + ahead, started(s, now + s.horizon)) + 2
  if present == 0 or reached > count or (s.t < s.starts[1] and present <= ahead) then
    return ahead + 1
  end
end
