-- The way of nearly every decision: one request for plain token buckets and fixed windows, or for a leaky
-- bucket alone, that takes or does not, decided before anything is defined. The same steps as
-- token_bucket.lua, leaky_bucket.lua, fixed_window.lua and decide.lua; what is rare (bookings, a clock far
-- back, open reservations, a value written under other rules) is left to them.
-- KEYS  the value of cells.lua; the key of the reservations, for them
-- ARGV  the limits as they stand in the value; cost and the four numbers of each limit, those of
--       token_bucket.lua, or of fixed_window.lua, where the second is 0
-- Reply now, the permits taken, and t and u of each limit as they were found, eight bytes each: from these
--       dev.sluice.redis.Cells tells the answer.
local ids = ARGV[1]
if ids == 't\n' or sub(ids, -1) == '\n' then
  local key, cell, cost, most, n, p, per = KEYS[1], call('GET', KEYS[1]), numbers('<ddddd', ARGV[2])
  local t, u, code, room, problem, found_t, found_u = now, 0, 0, 0, nil, nil, nil
  local rules, limits, found, ts, us
  local number = cell and tonumber(cell)
  if ids == 't\n' then
    -- + bucket_room
  else
    rules, limits = sub(ARGV[2], 9), (#ARGV[2] - 8) / 32
    -- + cells_room
  end
  local taken = cost <= room and cost or 0
  if not problem then
    if taken > 0 then
      local value, latest, term = nil, 0, 0
      if ids == 't\n' then
        -- + bucket_take
        -- + bucket_value
      else
        -- + cells_take
      end
      -- + acquire_save
    end
    return found and packed('<dd', now, taken) .. found or packed('<dddd', now, taken, found_t, found_u)
  end
end
