-- Twin of dev.sluice.memory.Deciding: every limit is asked first; a request passes at the one instant
-- that suits them all, and each limit is charged for that instant. Several requests pass all or none.
-- Reply  now; for each request 0 (1 forced, 2 unknown id), the wait, and for each limit the time to a
--        retry, what remains, the time to its reset. Or now and how far calendars must reach: then
--        nothing was done.

-- The state of a key in each limit, brought to the present.
local function take_seats(request)
  request.seats = {}
  for i = 1, #request do
    local s = read(request[i])
    s.algorithm.settle(s, now)
    request.seats[i] = s
  end
end

local function answer(request, retries, wait, kind)
  local says = { kind, wait }
  for i, s in ipairs(request.seats) do
    says[3 * i] = retries and retries[i] or 0
    says[3 * i + 1] = s.algorithm.remaining(s, now)
    says[3 * i + 2] = max(0, s.algorithm.reset_at(s, now) - now)
  end
  return says
end

-- How long each limit asks to wait until the request could be admitted, and whether none does.
local function retries(request)
  local books = request.mode == 'book' or request.mode == 'reserve'
  local rooms, each, from, allowed = {}, {}, now, true
  for i, s in ipairs(request.seats) do
    rooms[i] = s.algorithm.earliest(s, request.cost, now)
    from = books and max(from, rooms[i]) or now
  end
  request.passes = from
  for i, s in ipairs(request.seats) do
    local passes = s.algorithm.passes
    request.passes = max(request.passes, passes(s, now, from))
    each[i] = rooms[i] - now
    if books and (s.algorithm.books or rooms[i] == now) then
      each[i] = max(0, passes(s, now, rooms[i]) - request.max_wait - now)
    end
    allowed = allowed and each[i] == 0
  end
  return each, allowed
end

-- Gives back what reservations of this key took and never settled in time. Their sorted set has the
-- instant at which an id expires; the cost under id:c and minus the instant that it was for under
-- id:a, until it is settled. Costs are below the least instant.
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
      for _, s in ipairs(request.seats) do
        s.algorithm.refund(s, cost + 0, now, -at)
        if s.algorithm.release then
          s.algorithm.release(s, now, id)
        end
        s.algorithm.save(s, now)
      end
      released = true
    end
  end
end

local function charge_each(request, costs)
  for i, s in ipairs(request.seats) do
    s.algorithm.charge(s, costs and costs[i] or request.cost, now, request.passes)
    s.algorithm.save(s, now)
  end
end

local function acquire(request)
  local each, allowed = retries(request)
  if not allowed and release_expired(request) then
    each, allowed = retries(request)
  end
  if allowed then
    charge_each(request)
    return answer(request, each, request.passes - now, 0), true
  end
  for _, s in ipairs(request.seats) do
    if s.stranded then
      s.algorithm.save(s, now)
    end
  end
  return answer(request, each, 0, 0), false
end

local function peek(request)
  local each, allowed = retries(request)
  return answer(request, each, allowed and request.passes - now or 0, 0)
end

-- Only Java knows the calendar: before anything is changed, ask for what is missing.
for _, request in ipairs(requests) do
  for _, limit in ipairs(request) do
    local missing = limit.letter == 'F' and algorithms.F.uncovered(read(limit), now)
    if missing then
      return { now, missing }
    end
  end
end

if requests[1].mode == 'acquire' or requests[1].mode == 'book' then
  local reply = { now }
  local denied, answers = nil, {}
  for i, request in ipairs(requests) do
    take_seats(request)
    local allowed
    answers[i], allowed = acquire(request)
    if not allowed then
      denied = i
      break
    end
  end
  -- On the first denial takes everything back and asks the others again.
  for i = (denied or 1) - 1, 1, -1 do
    for _, s in ipairs(requests[i].seats) do
      s.algorithm.undo(s, requests[i].cost)
      s.algorithm.save(s, now)
    end
  end
  for i, request in ipairs(requests) do
    if denied and i ~= denied then
      take_seats(request)
      answers[i] = peek(request)
    end
    for _, number in ipairs(answers[i]) do
      reply[#reply + 1] = number
    end
  end
  return reply
end
