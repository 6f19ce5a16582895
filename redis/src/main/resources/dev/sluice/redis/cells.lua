-- The cells of a request, t and u of each of its buckets and windows, which lie in one value.
-- KEYS   a number for a bucket or a window alone, without a name of its own. A window's is negative: the
--        microseconds from EPOCH to t, then four digits, which are u. A bucket's is within 2^53, so that
--        Lua knows it exactly: 16384 times t, which is told in rounds of ROUND, from -HALF on, and meant
--        within HALF of the present; 512 times a term, less than 32; u. A bucket with a term lives to the
--        end of the span after that in which t lies, and grace, or longer; spans take TERM * 2 ^ term.
--        Else a line with a letter and a name for each limit, separated by commas, then t and u
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

-- The line of a bucket or a window alone, and its value as it would be after the line.
local function read_alone(value)
  local number = value + 0
  if number >= -2 ^ 53 and number < 2 ^ 53 then
    local t = now + ((number - number % 16384) / 16384 - now + HALF) % ROUND - HALF
    return 't\n', 't\n' .. packed('<dd', t, number % 512)
  end
  if number > 0 then
    error('the value of a key is not of Sluice')
  end
  return 'f\n', 'f\n' .. packed('<dd', EPOCH - sub(value, 1, -5), sub(value, -4) + 0)
end

local function read_cells(cells)
  local value = call('GET', cells.key)
  cells.known, cells.found, cells.others = value and true, {}, {}
  cells.marked = sub(value or '', 1, 1) == '*'
  value = cells.marked and sub(value, 2) or value
  local number = string.match(value or '', '^-?%d+$')
  local line = string.match(value or '', '^[^\n]*\n') or value and not number and error('the value of a key is not of Sluice')
  if number then
    line, value = read_alone(number)
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
