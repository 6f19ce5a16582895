-- Twin of dev.sluice.memory.Reservations: what was taken for a time and never settled comes back.
-- KEYS   a sorted set: the instant at which an id expires; the cost under id:c and minus the instant
--        that it was for under id:a, until it is settled. Costs are below the least instant.
local function give_back(s, cost, at)
  if s.used then
    s.algorithm.refund(s, cost, now, at)
  end
end

local function save_if_known(s)
  if s.known then
    s.algorithm.save(s, now)
  end
end

local function release_expired(request)
  local released, key = false, request.reservations
  while true do
    local id = call('ZRANGEBYSCORE', key, '2199023255552', text(now), 'LIMIT', '0', '1')[1]
    if not id then
      return released
    end
    local cost, at = call('ZSCORE', key, id .. ':c'), call('ZSCORE', key, id .. ':a')
    call('ZREM', key, id, id .. ':c', id .. ':a')
    if cost then
      for i = 1, #request do
        local s = request[i]
        give_back(s, cost + 0, -at)
        if s.algorithm.release then
          s.algorithm.release(s, now, id)
        end
        save_if_known(s)
      end
      released = true
    end
  end
end
