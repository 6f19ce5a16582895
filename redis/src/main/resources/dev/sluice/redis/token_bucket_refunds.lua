-- Twin of dev.sluice.algorithm.TokenBucket, what is given back.

function token_bucket.refund(s, cost, now, at)
  local least = returned(s, now)
  local last = s.t + micros_for(s, max(0, s.u - s.capacity))
  if at > now and at ~= last and at + micros_for(s, cost) ~= s.t + micros_for(s, s.u) then
    -- Others wait behind this place, and their passes are fixed: it is lost.
    return
  end
  -- Others wait: it gets back what the burst can absorb.
  if last > max(now, at) and not s.borrows then
    least = max(least, returned_up(s, last - s.t) + cost)
  end
  s.u = min(s.u, max(s.u - cost, least))
  -- A bucket that is full by this counts from now, or the fraction of a token beyond were kept.
  token_bucket.settle(s, now)
end

-- The instant by which everything charged so far has come back, the oldest first.
function token_bucket.comes_back_by(s)
  return s.t + micros_for(s, s.u)
end

-- Of what comes back within this time, all; a fraction is rounded up.
function token_bucket.coming_back(s, elapsed)
  return s.interval and ceil(elapsed / s.p) * s.n or returned_up(s, elapsed)
end

function token_bucket.undo(s)
  s.t, s.u = s.before_t, s.before_u
end
