-- How the cells of a request are written; see cells.lua.

-- Limits that were not saved stay as they were found.
local function write_cells(cells, now)
  local ids, body, latest, last = {}, {}, now, nil
  for _, s in ipairs(cells) do
    local bytes = s.saved and packed('<dd', s.t, s.u) or cells.found[s.id]
    if bytes then
      ids[#ids + 1], body[#body + 1], last = s.id, bytes, s
      latest = max(latest, s.algorithm.reset_at(s, now))
    end
  end
  for _, other in ipairs(cells.others) do
    ids[#ids + 1], body[#body + 1] = other.id, other.bytes
    latest = max(latest, other.lasts - grace)
  end
  local open = cells.reserving or cells.marked and call('ZCOUNT', cells.reservations, '-inf', '(0') > 0
  local line = (open and '*' or '') .. table.concat(ids, ',') .. '\n'
  local value = line .. table.concat(body)
  if line == 't\n' or line == 'f\n' then
    local t, u = numbers('<dd', body[1])
    if line == 'f\n' and u < 10000 and t > EPOCH + ROUND then
      value = '-' .. text(t - EPOCH) .. format('%04.0f', u)
    elseif line == 't\n' and u < 512 and last.per < HALF and latest - t < 5e11 then
      value = text(((t + HALF) % ROUND - HALF) * 16384 + u)
    end
  end
  write(cells, 'SET', value, 'PX', ttl(latest, now))
end

local function save_cell(s, now)
  s.saved = true
  write_cells(s.cells, now)
end

-- What limits of other rules have used stays.
local function forget_cells(cells, now)
  cells.found = {}
  if #cells.others > 0 then
    write_cells(cells, now)
  else
    call('UNLINK', cells.key)
  end
end
