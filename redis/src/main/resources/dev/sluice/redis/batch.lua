-- Many requests for plain token buckets and fixed windows in one call, in groups of one plan and key.
-- The requests of a group are decided in order of arrival, at one instant, from one state: the steps
-- of acquire.lua, but equal costs in a row at once. No group knows of another: what is rare is left
-- undone, and an error is told, for its group alone.
-- KEYS  for each group a key for each limit; then for each group the key of its reservations
-- ARGV  the number of groups; for each plan the number of its limits and groups, the arguments of each
--       limit as in acquire.lua, and for each group the cost of its only request, or minus the number
--       of its runs and for each how many requests of which cost
-- Reply now; for each group the permits taken, and t and u of each limit as they were found: from
--       these dev.sluice.redis.Group tells the answers. Or a text: LEFT, or the error.
local call, try, format, sub = redis.call, redis.pcall, string.format, string.sub
local EPOCH, MANY = 1577836800000000, 9007199254740992
local now
if ARGV[#ARGV - 1] == 'at' then
  now = ARGV[#ARGV] + 0
else
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end
local groups, group, k, a = ARGV[1] + 0, 0, 0, 2
local cells = call('MGET', unpack(KEYS, 1, #KEYS - groups))
local reply, r = { now }, 1
local found_t, found_u, ts, us = {}, {}, {}, {}

while group < groups do
  local limits, last = ARGV[a] + 0, group + ARGV[a + 1]
  -- Of each limit: what it holds; permits and microseconds of a cycle, a window has no permits there;
  -- period; whether windows start with the first request.
  local most, n, p, per, first = {}, {}, {}, {}, {}
  a = a + 2
  for i = 1, limits do
    local aligned = ARGV[a + 2]
    most[i] = ARGV[a] + 0
    if aligned == 'epoch' or aligned == 'first' then
      per[i], first[i] = ARGV[a + 1] + 0, aligned == 'first'
      a = a + 3
    else
      n[i], p[i], per[i] = ARGV[a + 1] + 0, aligned + 0, ARGV[a + 3] + 0
      a = a + 4
    end
  end
  while group < last do
    group = group + 1
    local room, problem, taken, denied = MANY, nil, 0, false
    for i = 1, limits do
      local cell, t, u = cells[k + i], now, 0
      if cell then
        t, u = tonumber(sub(cell, 1, -5)), tonumber(sub(cell, -4))
        if t then
          t = t + EPOCH
        else
          t, u = string.match(cell, '^(%d+):(%d+)$')
          t, u = tonumber(t), tonumber(u)
        end
        if not t or not u then
          problem, t, u = 'ERR the value of a key is not of Sluice', now, 0
        end
      end
      found_t[i], found_u[i] = t, u
      local cycle, period, free = p[i], per[i], 0
      if t - now > period then
        problem = problem or 'LEFT'
      end
      if cycle then
        local into, permits = 0, n[i]
        if t <= now then
          into = (now - t) % cycle
          u = u - (now - t - into) / cycle * permits
          t = now - into
          if u * cycle <= into * permits then
            t, u, into = now, 0, 0
          end
        elseif u == 0 then
          t = now
        end
        free = (into * permits - into * permits % cycle) / cycle
      else
        local rolls = first[i]
        if u >= 1099511627776 then
          problem = problem or 'LEFT'
        end
        if rolls and now - t >= period or not rolls and t < now - now % period then
          t, u = now, 0
        end
        t = (rolls and u > 0 or t > now) and t or now
      end
      ts[i], us[i] = t, u
      free = free + most[i] - u
      room = free < room and free or room
    end

    local cost = ARGV[a] + 0
    a = a + 1
    if cost > 0 then
      if cost <= room then
        taken = cost
      else
        denied = true
      end
    else
      for _ = 1, -cost do
        local times, each = ARGV[a] + 0, ARGV[a + 1] + 0
        local fit = (room - room % each) / each
        a = a + 2
        if fit < times then
          denied, fit = true, fit > 0 and fit or 0
        else
          fit = times
        end
        room, taken = room - fit * each, taken + fit * each
      end
    end
    -- An expired reservation may have something to give back.
    if denied and not problem and call('EXISTS', KEYS[#KEYS - groups + group]) == 1 then
      problem = 'LEFT'
    end
    for i = 1, (taken > 0 and not problem) and limits or 0 do
      local t, u, reset, value = ts[i], us[i] + taken, 0, nil
      if p[i] then
        local rest = u % n[i]
        reset = t - now + (u - rest) / n[i] * p[i] + math.ceil(rest * p[i] / n[i])
      else
        reset = (first[i] and t or t - t % per[i]) + per[i] - now
      end
      if u <= 9999 and t >= EPOCH then
        value = format('%.0f%04.0f', t - EPOCH, u)
      else
        value = format('%.0f:%05.0f', t, u)
      end
      local ttl = reset + 1000999
      ttl = format('%.0f', (ttl - ttl % 1000) / 1000)
      local done
      if cells[k + i] or limits > 1 then
        done = try('SET', KEYS[k + i], value, 'PX', ttl)
      else
        -- MGET shows nothing of a value that is no string; GET would say so.
        done = try('SET', KEYS[k + i], value, 'PX', ttl, 'NX')
      end
      if not done then
        problem = 'WRONGTYPE Operation against a key holding the wrong kind of value'
      elseif done.err then
        -- No memory: refused before anything was written, and acquire.lua knows what can be done.
        problem = string.find(done.err, 'OOM', 1, true) and 'LEFT' or done.err
      end
    end
    r = r + 1
    if problem then
      reply[r] = problem
    else
      reply[r] = taken
      for i = 1, limits do
        reply[r + 1], reply[r + 2] = found_t[i], found_u[i]
        r = r + 2
      end
    end
    k = k + limits
  end
end
return reply
