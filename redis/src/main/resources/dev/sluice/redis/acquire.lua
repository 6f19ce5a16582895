-- The way of nearly every decision: one request for plain token buckets and fixed windows that takes or
-- does not, decided before anything is defined. The same steps as token_bucket.lua, fixed_window.lua
-- and decide.lua; what is rare (bookings, a clock far back, reservations to look at) is left to them.
-- KEYS  a key for each limit, the key of the reservations
-- ARGV  take, a letter for each limit, cost, the four numbers of each limit: those of token_bucket.lua,
--       or of fixed_window.lua, where the second is 0
-- Reply as in decide.lua. Until all limits are asked it holds retry, t and u of each.
if ARGV[1] == 'take' then
  local count, cost = #KEYS - 1, ARGV[3] + 0
  local cells = count > 1 and call('MGET', unpack(KEYS, 1, count))
  local reply, allowed, rare, known = { now, 0, 0, 0, 0, 0 }, true, false, true
  for i = 1, count do
    local cell, t, u, retry = nil, now, 0, 0
    if cells then
      cell = cells[i]
    else
      cell = call('GET', KEYS[1])
    end
    if cell then
      -- + cell
    else
      known = false
    end
    -- + acquire_ask
    reply[3 * i + 1], reply[3 * i + 2], reply[3 * i + 3] = retry, t, u
    allowed = allowed and retry == 0
  end
  if not rare and (allowed or call('EXISTS', KEYS[count + 1]) == 0) then
    for i = 1, count do
      local t, u, reset = reply[3 * i + 2], reply[3 * i + 3], 0
      u = allowed and u + cost or u
      -- + acquire_take
    end
    return reply
  end
end
