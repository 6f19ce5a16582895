-- Twin of dev.sluice.algorithm.TokenBucket; what comes back in which time is in refill.lua, what is
-- given back in token_bucket_refunds.lua.
-- KEYS   a cell: t, the instant from which refills are counted, and u, tokens used since
-- ARGV   capacity, n permits in a cycle of p microseconds, period; T has three more: tokens that a key
--        never seen has used, 1 if tokens come back smoothly, the largest cost if it borrows or 0
local token_bucket = { t = 0, T = 7, cell = true, books = true }

function token_bucket.read(s, now, capacity, n, p, per, fresh, smooth, largest)
  s.capacity, s.n, s.p, s.per = capacity + 0, n + 0, p + 0, per + 0
  s.fresh, s.interval, s.largest = (fresh or 0) + 0, smooth == '0', (largest or 0) + 0
  s.borrows = s.largest > 0
  read_cell(s, now, s.fresh)
end

function token_bucket.settle(s, now)
  local t, u = s.t, s.u
  if t > now then
    s.restarted = t - now > s.per
    s.t = s.restarted and now or t
    return
  end
  local into = (now - t) % s.p
  s.t, s.u = now - into, u - (now - t - into) / s.p * s.n
  -- Below nothing used: more cycles have passed than the bucket needed.
  if s.u <= permits_within(s, into) then
    local full_at = t + micros_for(s, u)
    s.restarted = s.fresh > 0 and now - full_at >= s.per
    s.t = (s.fresh == 0 or s.restarted) and now or full_at
    s.u = s.restarted and s.fresh or 0
  end
end

function token_bucket.earliest(s, cost, now)
  local owed = s.u + (s.borrows and 0 or cost) - s.capacity
  return owed <= returned(s, now) and now or s.t + micros_for(s, owed)
end

function token_bucket.charge(s, cost, now, at)
  s.before_t, s.before_u = s.t, s.u
  local from = s.u == 0 and now or s.t
  if at > now and from + micros_for(s, s.u) <= at then
    take_at(s, at, cost, now)
  else
    s.t, s.u = from, s.u + cost
  end
end

function token_bucket.remaining(s, now)
  return max(0, s.capacity - max(0, s.u - returned(s, now)))
end

function token_bucket.reset_at(s)
  return s.t + micros_for(s, s.u) + (s.fresh == 0 and 0 or s.per)
end

function token_bucket.save(s, now)
  save_cell(s, now)
end

algorithms.t, algorithms.T = token_bucket, token_bucket
