-- The way of nearly every decision: one request for plain token buckets and fixed windows that takes or
-- does not, decided before anything is defined. The same steps as token_bucket.lua, fixed_window.lua
-- and decide.lua; what is rare (bookings, a clock far back, reservations to look at) is left to them.
-- One piece, and longer than the other files for that: functions would be made anew by each call.
-- KEYS  a key for each limit, the key of the reservations
-- ARGV  take, a letter for each limit, cost, the arguments of each limit
-- Reply as in decide.lua. Until all limits are asked it holds retry, t and u of each.
if ARGV[1] == 'take' then
  local call, pcall, format, sub = redis.call, redis.pcall, string.format, string.sub
  local EPOCH, count, cost, a = 1577836800000000, #KEYS - 1, ARGV[3] + 0, 4
  local now
  if ARGV[#ARGV - 1] == 'at' then
    now = ARGV[#ARGV] + 0
  else
    local time = call('TIME')
    now = time[1] * 1000000 + time[2]
  end
  local cells = count > 1 and call('MGET', unpack(KEYS, 1, count))
  local reply, allowed, rare, known = { now, 0, 0, 0, 0, 0 }, true, false, true
  for i = 1, count do
    local t, u, retry = now, 0, 0
    local cell
    if cells then
      cell = cells[i]
    else
      cell = call('GET', KEYS[1])
    end
    if cell then
      t = tonumber(sub(cell, 1, -5))
      if t then
        t, u = t + EPOCH, sub(cell, -4) + 0
      else
        t, u = string.match(cell, '^(.+):(.+)$')
        t, u = t + 0, u + 0
      end
    else
      known = false
    end
    local aligned = ARGV[a + 2]
    if aligned == 'epoch' or aligned == 'first' then
      local per = ARGV[a + 1] + 0
      rare = rare or t - now > per or u >= 1099511627776
      if aligned == 'epoch' and t < now - now % per or aligned == 'first' and now - t >= per then
        t, u = now, 0
      end
      t = (aligned == 'first' and u > 0 or t > now) and t or now
      if u + cost > ARGV[a] + 0 then
        retry = (aligned == 'first' and t or t - t % per) + per - now
      end
      a = a + 3
    else
      local n, p, into = ARGV[a + 1] + 0, aligned + 0, 0
      if t <= now then
        into = (now - t) % p
        u = u - (now - t - into) / p * n
        t = now - into
        if u * p <= into * n then
          t, u, into = now, 0, 0
        end
      else
        rare = rare or t - now > ARGV[a + 3] + 0
        t = u == 0 and now or t
      end
      local owed = u + cost - ARGV[a]
      if owed * p > into * n then
        local rest = owed % n
        retry = t - now + (owed - rest) / n * p + math.ceil(rest * p / n)
        rare = rare or u * p > n * 2251799813685248
      end
      a = a + 4
    end
    reply[3 * i + 1], reply[3 * i + 2], reply[3 * i + 3] = retry, t, u
    allowed = allowed and retry == 0
  end
  if not rare and (allowed or call('EXISTS', KEYS[count + 1]) == 0) then
    a = 4
    for i = 1, count do
      local t, u, aligned = reply[3 * i + 2], reply[3 * i + 3], ARGV[a + 2]
      local reset = 0
      u = allowed and u + cost or u
      local remaining = ARGV[a] - u
      if aligned == 'epoch' or aligned == 'first' then
        local per = ARGV[a + 1] + 0
        reset = u == 0 and t - now or (aligned == 'first' and t or t - t % per) + per - now
        a = a + 3
      else
        local n, p = ARGV[a + 1] + 0, aligned + 0
        local rest = u % n
        reset = t - now + (u - rest) / n * p
        if n > 1 then
          local gained = t < now and (now - t) * n or 0
          remaining = remaining + (gained - gained % p) / p
          reset = reset + math.ceil(rest * p / n)
        end
        a = a + 4
      end
      if allowed then
        local cell
        if u <= 9999 and t >= EPOCH then
          cell = format('%.0f%04.0f', t - EPOCH, u)
        else
          cell = format('%.0f:%05.0f', t, u)
        end
        local ttl = reset + 1000999
        ttl = format('%.0f', (ttl - ttl % 1000) / 1000)
        if pcall('SET', KEYS[i], cell, 'PX', ttl).err then
          -- No memory: refused, unless all keys are there and none grows; see prelude.lua.
          if known then
            call('PEXPIRE', KEYS[i], ttl)
          end
          call('SET', KEYS[i], cell, 'PX', ttl)
        end
      end
      reply[3 * i + 2], reply[3 * i + 3] = remaining > 0 and remaining or 0, reset
    end
    return reply
  end
end
