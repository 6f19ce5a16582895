-- Twin of dev.sluice.memory.Seat and Rules: what the limits of a request say to it.
-- Reply  now; for each request 0 (1 forced, 2 unknown id), the wait, and for each limit the time to a
--        retry, what remains, the time to its reset. Or now and how far calendars must reach: then
--        nothing was done.
local reply = { now }

-- The state of a key in a limit, as it was left.
local function read(s)
  s.restarted, s.unwritten, s.saved, s.latest = false, false, false, nil
  s.algorithm.read(s, now, unpack(s.args))
end

-- The state of a key in each limit, brought to the present.
local function take_seats(request)
  if request.cells then
    read_cells(request.cells)
  end
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
