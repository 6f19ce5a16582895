-- What is asked: reads KEYS and ARGV.
-- KEYS   for each request: a key for each limit, then the key of its reservations
-- ARGV   for each request: mode, a letter for each limit, cost; book: longest wait; give_back,
--        postpone: instant; release, commit: id; reserve: longest wait, id, time to live, how long
--        to remember it; then the arguments of each limit.
local requests, k, a = {}, 0, 3
while k < #KEYS do
  local mode, letters = ARGV[a - 2], ARGV[a - 1]
  local request = { mode = mode, cost = ARGV[a] + 0, max_wait = 0, passes = 0, reservations = '' }
  if mode == 'book' or mode == 'reserve' then
    a = a + 1
    request.max_wait = ARGV[a] + 0
  end
  if mode == 'release' or mode == 'commit' or mode == 'reserve' then
    a = a + 1
    request.id = ARGV[a]
  end
  if mode == 'give_back' or mode == 'postpone' or mode == 'reserve' then
    a = a + 1
    request.time = ARGV[a] + 0
  end
  if mode == 'reserve' then
    a = a + 1
    request.keep = ARGV[a] + 0
  end
  for i = 1, #letters do
    local letter = sub(letters, i, i)
    local algorithm = algorithms[letter]
    local count = algorithm[letter] + (letter == 'F' and ARGV[a + 4] or 0)
    -- A seat: one limit while it is decided. Fields that come later are named here to make room.
    request[i] = {
      key = KEYS[k + i], algorithm = algorithm, first = a + 1, last = a + count, known = false,
      calendar = letter == 'F', used = false, restarted = false, room = 0, retry = 0, t = 0, u = 0, per = 0,
    }
    a = a + count
  end
  k = k + #letters + 1
  request.reservations = KEYS[k]
  requests[#requests + 1] = request
  a = a + 3
end
