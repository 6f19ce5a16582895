-- Twin of dev.sluice.algorithm.LeakyBucket: slots are the tokens of a token bucket.
-- KEYS   a cell: t, the instant from which slots are counted, and u, slots given out since
-- ARGV   capacity (the queue and the one that passes at once), n slots in p microseconds, period
local leaky_bucket = setmetatable({ b = 0, books = false }, { __index = token_bucket })

function leaky_bucket.passes(s, now, at)
  return s.u == 0 and at or max(at, s.t + micros_for(s, s.u))
end

function leaky_bucket.charge(s, cost, now, at)
  s.before_t, s.before_u = s.t, s.u
  if at > leaky_bucket.passes(s, now, now) then
    -- Where another limit delays it further, the slots until then go unused.
    take_at(s, at, cost, now)
  else
    s.t, s.u = s.u == 0 and now or s.t, s.u + cost
  end
end

function leaky_bucket.refund(s, cost, now, at, by)
  if s.u == 0 then
    return
  end
  -- A slot with others behind it cannot be given again: their passes are fixed. Those that nobody
  -- names are the last ones, and nobody may still wait for them.
  local last = s.t + micros_for(s, s.u - 1) <= now
  if at > 0 then
    last = (by or at + micros_for(s, cost)) >= s.t + micros_for(s, s.u)
  end
  s.u = last and max(s.u - cost, returned(s, now)) or s.u
end

algorithms.b = leaky_bucket
