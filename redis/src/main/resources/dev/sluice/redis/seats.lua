-- Twin of dev.sluice.memory.Seat and Rules: what the limits of a request say to it.
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
    if s.algorithm.reach then
      s.retry = max(s.retry, request.passes - s.algorithm.reach(s, now))
    end
    allowed = allowed and s.retry == 0
  end
  return allowed
end
