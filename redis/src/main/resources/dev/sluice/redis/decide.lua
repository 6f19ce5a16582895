-- Twin of dev.sluice.memory.Deciding: every limit is asked first; a request passes at the one instant
-- that suits them all, and each limit is charged for that instant. Several requests pass all or none.
-- Reply  now; for each request 0 (1 forced, 2 unknown id), the wait, and for each limit the time to a
--        retry, what remains, the time to its reset. Or now and how far calendars must reach: then
--        nothing was done.
local reply = { now }

-- The state of a key in each limit, as it was left.
local function read(s)
  local value = s.algorithm.cell and call('GET', s.key)
  s.restarted, s.unwritten, s.latest = false, false, nil
  s.algorithm.read(s, now, value, unpack(ARGV, s.first, s.last))
end

-- The state of a key in each limit, brought to the present.
local function take_seats(request)
  for i = 1, #request do
    local s = request[i]
    read(s)
    -- Of a key as if never seen nothing can be given back.
    s.used = s.known and s.algorithm.reset_at(s, now) > now
    s.algorithm.settle(s, now)
    -- A key that starts with less than its capacity starts with its first request, denied or not.
    s.restarted = s.restarted or not s.known and (s.fresh or 0) > 0
  end
end

-- Adds to the reply what the limits of a request say; kind 0 tells their times to a retry.
local function answer(request, kind, wait)
  local n = #reply
  reply[n + 1], reply[n + 2] = kind, wait
  for i = 1, #request do
    local s = request[i]
    n = n + 3
    reply[n] = kind == 0 and s.retry or 0
    reply[n + 1] = s.algorithm.remaining(s, now)
    reply[n + 2] = max(0, s.algorithm.reset_at(s, now) - now)
  end
end

local function passes(s, at)
  local when = s.algorithm.passes
  return when and when(s, now, at) or at
end

-- How long each limit asks to wait until the request could be admitted; whether none does.
local function retries(request)
  local books = request.mode == 'book' or request.mode == 'reserve'
  local from, allowed = now, true
  for i = 1, #request do
    local s = request[i]
    s.room = s.algorithm.earliest(s, request.cost, now)
    from = books and max(from, s.room) or now
  end
  request.passes = from
  for i = 1, #request do
    request.passes = max(request.passes, passes(request[i], from))
  end
  for i = 1, #request do
    local s = request[i]
    s.retry = s.room - now
    if books and (s.algorithm.books or s.room == now) then
      s.retry = max(0, passes(s, s.room) - request.max_wait - now)
    elseif not books and s.algorithm.books and s.room <= request.passes then
      -- A limit that counts must have room when the queue lets pass.
      s.retry = 0
    end
    allowed = allowed and s.retry == 0
  end
  return allowed
end

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

local function acquire(request)
  local allowed = retries(request) or release_expired(request) and retries(request)
  for i = 1, #request do
    local s = request[i]
    if allowed then
      s.algorithm.charge(s, request.cost, now, request.passes)
    end
    if allowed or s.restarted then
      s.algorithm.save(s, now)
    end
  end
  answer(request, 0, allowed and request.passes - now or 0)
  return allowed
end

local function peek(request)
  local allowed = retries(request)
  answer(request, 0, allowed and request.passes - now or 0)
end

-- Only Java knows the calendar: before anything is changed, ask for what is missing.
for i = 1, #requests do
  for j = 1, #requests[i] do
    local s = requests[i][j]
    if s.calendar then
      read(s)
      local missing = s.algorithm.uncovered(s, now)
      if missing then
        return { now, missing }
      end
    end
  end
end

if requests[1].mode == 'take' or requests[1].mode == 'acquire' or requests[1].mode == 'book' then
  local i, before = 1, 1
  take_seats(requests[1])
  while acquire(requests[i]) do
    if i == #requests then
      return reply
    end
    i, before = i + 1, #reply
    take_seats(requests[i])
  end
  if #requests == 1 then
    return reply
  end
  -- On the first denial takes everything back and asks the others again.
  local denial = { unpack(reply, before + 1) }
  reply = { now }
  for j = i - 1, 1, -1 do
    for _, s in ipairs(requests[j]) do
      s.algorithm.undo(s, requests[j].cost)
      s.algorithm.save(s, now)
    end
  end
  for j = 1, #requests do
    if j == i then
      for _, number in ipairs(denial) do
        reply[#reply + 1] = number
      end
    else
      take_seats(requests[j])
      peek(requests[j])
    end
  end
  return reply
end
