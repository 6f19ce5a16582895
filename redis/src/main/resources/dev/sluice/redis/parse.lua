-- What is asked: reads KEYS and ARGV, and the clock, once.
-- KEYS   for each request: a key for each limit, then the key of its reservations
-- ARGV   for each request: mode, a letter for each limit, cost; book: longest wait; give_back: instant;
--        release, commit: id; reserve: longest wait, id, time to live, how long to remember it; then
--        the arguments of each limit. In tests one more at the end: the present.
local EXTRAS = {
  book = { 'max_wait' },
  give_back = { 'time' },
  release = { 'id' },
  commit = { 'id' },
  reserve = { 'max_wait', 'id', 'time', 'keep' },
}
local ARGUMENTS = { t = 4, T = 7, b = 4, f = 3, F = 4, l = 2, w = 3, c = 3 }

local requests, k, a = {}, 0, 0
while k < #KEYS do
  local request = { mode = ARGV[a + 1], cost = ARGV[a + 3] + 0, max_wait = 0 }
  local letters = ARGV[a + 2]
  a = a + 3
  for _, name in ipairs(EXTRAS[request.mode] or {}) do
    a = a + 1
    request[name] = ARGV[a]
  end
  for i = 1, #letters do
    local letter = sub(letters, i, i)
    local count = ARGUMENTS[letter] + (letter == 'F' and ARGV[a + 4] or 0)
    request[i] = { key = KEYS[k + i], letter = letter, first = a + 1, last = a + count }
    a = a + count
  end
  k = k + #letters + 1
  request.reservations = KEYS[k]
  requests[#requests + 1] = request
end

local now = ARGV[a + 1]
if now then
  now = now + 0
else
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
end

-- The state of a key in one limit, as it was left.
local function read(limit)
  local algorithm = algorithms[limit.letter]
  local s = { key = limit.key, algorithm = algorithm }
  local value = algorithm.cell and call('GET', s.key)
  algorithm.read(s, now, value, unpack(ARGV, limit.first, limit.last))
  return s
end
