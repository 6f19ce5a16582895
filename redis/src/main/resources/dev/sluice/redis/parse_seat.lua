-- Part of parse.lua: a seat is one limit while it is decided. Fields that come later are named here to
-- make room.
local algorithm = algorithms[letter]
local count = algorithm[letter] + (letter == 'F' and ARGV[a + 4] or 0)
local s = {
  key = '', algorithm = algorithm, args = false, id = false, cells = false, calendar = letter == 'F', known = false,
  used = false, restarted = false, saved = false, room = 0, retry = 0, t = 0, u = 0, per = 0,
}
if count > 0 then
  s.args = { unpack(ARGV, a + 1, a + count) }
  a = a + count
else
  if not rules then
    a = a + 1
    rules = ARGV[a]
  end
  local most, n, p, per = numbers('<dddd', rules, place)
  s.args, place = { most, n, p, per }, place + 32
end
if not algorithm.cell then
  k = k + 1
  s.key = KEYS[k]
else
  if not request.cells then
    k = k + 1
    request.cells = { key = KEYS[k], own = {} }
  end
  s.id, s.cells, s.key = string.lower(letter) .. name, request.cells, request.cells.key
  s.cells.own[s.id], s.cells[#s.cells + 1] = true, s
end
request[#request + 1] = s
