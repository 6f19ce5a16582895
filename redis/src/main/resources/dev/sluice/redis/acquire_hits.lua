-- The way of nearly every decision by sliding logs and sliding windows: one request that takes or does
-- not, decided before anything is defined. The same steps as sliding_log.lua, sliding_window.lua and
-- hit_log.lua; what is rare (bookings, a clock that stepped back, reservations to look at, more than two
-- hits that expired since the last, products above 2^53) is left to them.
-- KEYS  the list of hit_log.lua for each limit, the key of the reservations
-- ARGV  a letter and a name for each limit; cost and four numbers of each limit, permits, period,
--       precision (0 for a log), nothing, eight bytes each
-- Reply as in decide.lua.
if sub(ARGV[1], -1) == '\n' then
  local rules, limits, cost = ARGV[2], (#ARGV[2] - 8) / 32, numbers('<d', ARGV[2])
  local reply, asked, allowed, rare = { now, 0, 0 }, {}, true, false
  for i = 1, limits do
    local permits, per, precision = numbers('<ddd', rules, 32 * i - 23)
    local modulus = precision > 0 and 4503599627370496 or 16777216
    -- Where a hit of now is counted, and which block leaves, or has just left a log.
    local at = precision > 0 and now - now % precision or now
    local leaving = at - per
    -- The header, the base, and three hits: the time and the total of each.
    local head = call('LRANGE', KEYS[i], '0', '7')
    local last, sum = head[#head - 1], head[#head]
    if #head == 8 then
      local tail = call('LRANGE', KEYS[i], '-2', '-1')
      last, sum = tail[1], tail[2]
    end
    local used, retry, expired = 0, 0, 0
    if #head > 2 then
      -- + acquire_hits_ask
    else
      rare = rare or #head > 0 or limits > 1
    end
    asked[i] = { permits, used, at, per, precision, modulus, head[1], last, sum, expired }
    reply[3 * i + 1], reply[3 * i + 2] = retry, permits > used and permits - used or 0
    reply[3 * i + 3] = last and last + per + precision > now and last + per + precision - now or 0
    allowed = allowed and retry == 0
  end
  if not rare and (allowed or call('EXISTS', KEYS[limits + 1]) == 0) then
    for i = 1, allowed and limits or 0 do
      -- + acquire_hits_take
    end
    if not rare then
      return reply
    end
  end
end
