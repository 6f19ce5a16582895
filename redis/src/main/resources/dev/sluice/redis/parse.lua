-- What is asked: reads KEYS and ARGV.
-- KEYS   for each request: a key for each limit that has one of its own, and one where the first stands
--        of those that do not; then the key of its reservations
-- ARGV   for each request: mode, a letter and a name for each limit, cost; book: longest wait;
--        give_back, postpone: instant; release, commit: id; reserve: longest wait, id, time to live,
--        how long to remember it; then the arguments of each limit. The four numbers of each t, f, b,
--        l and w, eight bytes each, are together where the first of them stands. Or what a quick way,
--        acquire.lua or acquire_hits.lua, has left.
local requests, k, a = {}, 0, 3
while k < #KEYS do
  local mode, limits, cost, rules, place = ARGV[a - 2], ARGV[a - 1], ARGV[a], nil, 1
  if sub(mode, -1) == '\n' then
    mode, limits, cost, rules, place = 'acquire', mode, numbers('<d', limits), limits, 9
  end
  local request = { mode = mode, cost = cost + 0, max_wait = 0, passes = 0, reservations = '' }
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
  for letter, name in string.gmatch(limits, '(%a)([^,\n]*)') do
    -- + parse_seat
  end
  request.reservations = KEYS[k + 1]
  if request.cells then
    request.cells.reservations, request.cells.reserving = KEYS[k + 1], mode == 'reserve'
  end
  requests[#requests + 1] = request
  k, a = k + 1, a + 3
end
