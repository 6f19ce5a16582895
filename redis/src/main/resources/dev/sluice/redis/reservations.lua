-- Twin of dev.sluice.memory.Reservations: what was taken for a time and never settled comes back.
-- KEYS   a sorted set: the instant at which an id expires; the cost under id:c and, until it is
--        settled, minus the instant that it was for under id:a. Costs are below the least instant.
--        Under id:1, id:2 … minus the instant by which a bucket's tokens have come back.

-- What has come back since it was charged was given to others.
local function give_back(s, cost, at, by)
  if s.used then
    local left = by and s.algorithm.coming_back and s.algorithm.coming_back(s, max(0, by - now))
    s.algorithm.refund(s, left and min(cost, left) or cost, now, at, by)
  end
end

local function note_come_back(request, id)
  for i, s in ipairs(request) do
    if s.algorithm.comes_back_by then
      call('ZADD', request.reservations, text(-s.algorithm.comes_back_by(s)), id .. ':' .. i)
    end
  end
end

local function take_come_back(request, id, i)
  local member = id .. ':' .. i
  local score = call('ZSCORE', request.reservations, member)
  if score then
    call('ZREM', request.reservations, member)
  end
  return score and -score
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
    if at then
      for i = 1, #request do
        local s = request[i]
        give_back(s, cost + 0, -at, take_come_back(request, id, i))
        if s.algorithm.release then
          s.algorithm.release(s, now, id)
        end
        save_if_known(s)
      end
      released = true
    end
  end
end
