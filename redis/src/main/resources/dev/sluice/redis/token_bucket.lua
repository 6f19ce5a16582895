-- Twin of dev.sluice.algorithm.TokenBucket.
-- KEYS   one value: t, the instant from which refills are counted, and u, tokens used since
-- ARGV   capacity, n permits in a cycle of p microseconds, period; T has three more: tokens that a
--        key never seen has used, 1 if tokens come back smoothly, 1 if it borrows
local token_bucket = { arguments = 4, cell = true, books = true }

local function permits_within(s, elapsed)
  return s.interval and 0 or (elapsed * s.n - elapsed * s.n % s.p) / s.p
end

local function micros_for(s, count)
  local rest = count % s.n
  local cycles = (count - rest) / s.n
  if s.interval then
    return (rest > 0 and cycles + 1 or cycles) * s.p
  end
  return cycles * s.p + math.ceil(rest * s.p / s.n)
end

local function within(s, now)
  return now > s.t and s.u > 0 and permits_within(s, now - s.t) or 0
end

local function returned(s, elapsed)
  local into = elapsed % s.p
  return (elapsed - into) / s.p * s.n + permits_within(s, into)
end

function token_bucket.read(s, now, value, capacity, n, p, per, fresh, smooth, borrows)
  s.capacity, s.n, s.p, s.per = capacity + 0, n + 0, p + 0, per + 0
  s.fresh, s.interval, s.borrows = (fresh or 0) + 0, smooth == '0', borrows == '1'
  read_cell(s, value, now, s.fresh)
end

function token_bucket.settle(s, now)
  local t, u = s.t, s.u
  if t > now then
    s.stranded = t - now > s.per
    s.t = s.stranded and now or t
    return
  end
  local into = (now - t) % s.p
  s.t, s.u = now - into, u - (now - t - into) / s.p * s.n
  -- Below nothing used: more cycles have passed than the bucket needed.
  if s.u <= permits_within(s, into) then
    local full_at = t + micros_for(s, u)
    local forgotten = now - full_at >= s.per
    s.t = (s.fresh == 0 or forgotten) and now or full_at
    s.u = forgotten and s.fresh or 0
  end
end

function token_bucket.earliest(s, cost, now)
  local owed = s.u + (s.borrows and 0 or cost) - s.capacity
  return owed <= within(s, now) and now or s.t + micros_for(s, owed)
end

function token_bucket.passes(s, now, at)
  return at
end

function token_bucket.charge(s, cost, now, at)
  s.before_t, s.before_u = s.t, s.u
  s.t = s.u == 0 and now or s.t
  s.u = (at > now and max(s.u, returned(s, at - s.t)) or s.u) + cost
end

function token_bucket.refund(s, cost, now, at)
  local least = max(0, within(s, now))
  local last = s.t + micros_for(s, max(0, s.u - s.capacity))
  if at > now and at < last then
    least = max(least, returned(s, last - s.t) + cost)
  end
  s.u = min(s.u, max(s.u - cost, least))
end

function token_bucket.undo(s)
  s.t, s.u = s.before_t, s.before_u
end

function token_bucket.remaining(s, now)
  return max(0, s.capacity - max(0, s.u - within(s, now)))
end

function token_bucket.reset_at(s)
  return s.t + micros_for(s, s.u) + (s.fresh == 0 and 0 or s.per)
end

function token_bucket.save(s, now)
  save_cell(s, token_bucket.reset_at(s), now)
end

algorithms.t, algorithms.T = token_bucket, token_bucket
