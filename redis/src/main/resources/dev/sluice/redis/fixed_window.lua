-- Twin of dev.sluice.algorithm.FixedWindow; where windows start is in windows.lua, what is given back
-- in fixed_window_refunds.lua.
-- KEYS   a cell: t, the instant of the last charge (or the start of a rolling window), and u, the
--        count in the newest window plus 2^40 for each window that it lies ahead
-- ARGV   f: permits, 0, 1 if windows start with the first request, period
--        F, by the calendar: permits, longest period, how far ahead a request may pass, the number
--        of starts, the starts of windows in order
local fixed_window = { f = 0, F = 4, cell = true, books = true, uncovered = uncovered, reach = reach }

function fixed_window.read(s, now, permits, per, third, fourth, ...)
  s.permits, s.per, s.rolls = permits + 0, per + 0, false
  read_cell(s, now, 0)
  if not s.calendar then
    s.rolls, s.per = third == 1, fourth
    return
  end
  s.horizon, s.starts = third + 0, { ... }
  for i = 1, #s.starts do
    s.starts[i] = s.starts[i] + 0
  end
end

function fixed_window.settle(s, now)
  if s.t > now then
    s.restarted = s.t - now > s.per
    s.t = s.restarted and now or s.t
    return
  end
  local ahead, passed = floor(s.u / AHEAD), windows_between(s, s.t, now)
  if passed > ahead then
    s.t, s.u = now, 0
  elseif passed > 0 then
    s.t = s.rolls and s.t + passed * s.per or now
    s.u = s.u - passed * AHEAD
  end
end

function fixed_window.earliest(s, cost, now)
  local window = floor(s.u / AHEAD) + (s.u % AHEAD + cost <= s.permits and 0 or 1)
  return window == 0 and now or start(s, origin(s, now), window)
end

function fixed_window.charge(s, cost, now, at)
  s.before_t, s.before_u = s.t, s.u
  local from, ahead = origin(s, now), floor(s.u / AHEAD)
  -- A forced request passes however late; what it takes is counted as far ahead as can be.
  local window = max(ahead, windows_between(s, from, min(at, reach(s, now))))
  s.t, s.u = from, window * AHEAD + (window == ahead and s.u % AHEAD or 0) + cost
end

function fixed_window.remaining(s)
  return s.u >= AHEAD and 0 or max(0, s.permits - s.u)
end

function fixed_window.reset_at(s)
  -- Rounded up: in a window ahead whose bookings were all given back there is nothing to reset.
  return s.u == 0 and s.t or start(s, s.t, ceil(s.u / AHEAD))
end

function fixed_window.save(s, now)
  save_cell(s, now)
end

algorithms.f, algorithms.F = fixed_window, fixed_window
