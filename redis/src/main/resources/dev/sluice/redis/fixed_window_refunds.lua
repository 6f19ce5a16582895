-- Twin of dev.sluice.algorithm.FixedWindow, what is given back.

function fixed_window.refund(s, cost, now, at)
  local from = origin(s, now)
  local over = at > 0 and at < start(s, from, 0)
  -- Only the newest window has its count; a place in an older one is lost.
  if not over and windows_between(s, from, at) == floor(s.u / AHEAD) then
    s.u = s.u - min(cost, s.u % AHEAD)
  end
end

function fixed_window.undo(s)
  s.t, s.u = s.before_t, s.before_u
end
