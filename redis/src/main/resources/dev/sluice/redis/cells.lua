-- The cells of a request, t and u of each of its buckets and windows, which lie in one value.
-- KEYS   a number, positive for a bucket alone and negative for a window alone, both without a name of
--        their own: microseconds since EPOCH, then four digits, which are u of a window, and of a bucket
--        u and 400 times a term: if that is not 0, the key lives until t + TERM * 2 ^ term + grace, or
--        longer. Else a line with a letter and a name for each limit, separated by commas, then t and u
--        of each, eight bytes each. A limit that the last writer did not know has behind an @ the
--        instant until which it is kept. Before the line stands a * while a reservation is open, which
--        may give something back when it expires: quick ways do not know such a value and leave it.

-- What a limit of other rules has used is kept as it is, at most for as long as the value would live.
local function keep_cell(cells, id, bytes, lasts)
  lasts = min(lasts or 2 ^ 53, now + call('PTTL', cells.key) * 1000)
  if lasts > now then
    cells.others[#cells.others + 1] = { id = id .. '@' .. text(lasts), bytes = bytes, lasts = lasts }
  end
end

local function read_cells(cells)
  local value = call('GET', cells.key)
  cells.known, cells.found, cells.others = value and true, {}, {}
  cells.marked = sub(value or '', 1, 1) == '*'
  value = cells.marked and sub(value, 2) or value
  local sign, t, u = string.match(value or '', '^(-?)(%d+)(%d%d%d%d)$')
  local line = string.match(value or '', '^[^\n]*\n') or value and not t and error('the value of a key is not of Sluice')
  if t then
    line = sign == '' and 't\n' or 'f\n'
    value = line .. packed('<dd', t + EPOCH, sign == '' and u % 400 or u + 0)
  end
  local place = #(line or '') + 1
  for id, lasts in string.gmatch(line or '', '([^,@\n]+)@?(%d*)') do
    local bytes = sub(value, place, place + 15)
    if cells.own[id] then
      cells.found[id] = bytes
    else
      keep_cell(cells, id, bytes, tonumber(lasts))
    end
    place = place + 16
  end
end

-- The state of a key never seen is what was used of it already.
local function read_cell(s, now, used)
  s.t, s.u, s.known = now, used, s.cells.found[s.id] ~= nil
  if s.known then
    s.t, s.u = numbers('<dd', s.cells.found[s.id])
  end
end
