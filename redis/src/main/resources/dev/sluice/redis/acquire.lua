-- The way of nearly every decision: one request for plain token buckets and fixed windows, or for a leaky
-- bucket alone, that takes or does not, decided before anything is defined. The same steps as
-- token_bucket.lua, leaky_bucket.lua, fixed_window.lua and decide.lua; what is rare (bookings, a clock far back, reservations to look at, a value written
-- under other rules) is left to them.
-- KEYS  the value of cells.lua, the key of the reservations
-- ARGV  take, the limits as they stand in the value, cost, the four numbers of each limit: those of
--       token_bucket.lua, or of fixed_window.lua, where the second is 0
-- Reply as in decide.lua. Until all limits are asked it holds retry, t and u of each.
if ARGV[1] == 'take' then
  local ids, cost, rules, cell = ARGV[2], ARGV[3] + 0, ARGV[4], call('GET', KEYS[1])
  local limits = #rules / 32
  local mine = cell and #cell == #ids + 16 * limits and sub(cell, 1, #ids) == ids
  local reply, allowed, rare = { now, 0, 0, 0, 0, 0 }, true, false
  for i = 1, limits do
    local t, u, retry = now, 0, 0
    if cell then
      -- + cell
    end
    if t and u then
      -- + acquire_ask
    else
      rare, allowed = true, false
    end
    reply[3 * i + 1], reply[3 * i + 2], reply[3 * i + 3] = retry, t, u
    allowed = allowed and retry == 0
  end
  if not rare and (allowed or call('EXISTS', KEYS[2]) == 0) then
    local value, latest = nil, 0
    for i = 1, limits do
      -- + acquire_take
    end
    if allowed then
      -- + acquire_save
    end
    return reply
  end
end
