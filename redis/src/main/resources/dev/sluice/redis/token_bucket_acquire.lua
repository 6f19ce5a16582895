-- The way of nearly every decision: one plain token bucket, one request that takes or not, decided
-- before anything is defined. The same steps as token_bucket.lua; twin of InMemoryStore.tokenBucket.
-- KEYS  the bucket, the key's reservations
-- ARGV  acquire, t, cost, capacity, n permits in p microseconds, period
-- Reply as in decide.lua.
if ARGV[1] == 'acquire' and ARGV[2] == 't' and not KEYS[3] then
  local call, format, sub = redis.call, string.format, string.sub
  local now = ARGV[8]
  if now then
    now = now + 0
  else
    local time = call('TIME')
    now = time[1] * 1000000 + time[2]
  end
  local cost, capacity, n, p = ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0, ARGV[6] + 0
  local t, u, moved = now, 0, false
  local cell = call('GET', KEYS[1])
  if cell then
    t = tonumber(sub(cell, 1, -5))
    if t then
      t, u = t + 1577836800000000, sub(cell, -4) + 0
    else
      t, u = string.match(cell, '^(.+):(.+)$')
      t, u = t + 0, u + 0
    end
    if t <= now then
      local into = (now - t) % p
      u = u - (now - t - into) / p * n
      t = now - into
      if u * p <= into * n then
        t, u = now, 0
      end
    elseif t - now > ARGV[7] + 0 then
      t, moved = now, true
    end
  end
  t = u == 0 and now or t
  -- Whole tokens of the cycle under way: a product below 2^52, so exact.
  local within = t < now and ((now - t) * n - (now - t) * n % p) / p or 0
  local owed = u + cost - capacity
  if owed <= within or call('EXISTS', KEYS[2]) == 0 then
    local retry = 0
    if owed <= within then
      u = u + cost
    else
      local rest = owed % n
      retry = t - now + (owed - rest) / n * p + math.ceil(rest * p / n)
    end
    local rest = u % n
    local reset = t - now + (u - rest) / n * p + math.ceil(rest * p / n)
    if retry == 0 or moved then
      if u <= 9999 and t >= 1577836800000000 then
        cell = format('%.0f%04.0f', t - 1577836800000000, u)
      else
        cell = format('%.0f:%05.0f', t, u)
      end
      call('SET', KEYS[1], cell, 'PX', format('%.0f', math.ceil(reset / 1000) + 1000))
    end
    local used = u > within and u - within or 0
    return { now, 0, 0, retry, capacity > used and capacity - used or 0, reset }
  end
end
