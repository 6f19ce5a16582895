-- Twin of dev.sluice.memory.Deciding: every limit is asked first; a request passes at the one instant
-- that suits them all, and each limit is charged for that instant.

-- A key that is not there yet needs memory. Where there is none it is refused here, before anything is
-- written: after its first write the server lets a script grow.
local function claim_memory(key)
  if call('EXISTS', key) == 0 then
    call('SET', key, '', 'XX')
  end
end

local function claim_new_keys(request)
  for i = 1, #request > 1 and #request or 0 do
    if not request[i].known then
      claim_memory(request[i].key)
    end
  end
end

local function acquire(request)
  local allowed = retries(request) or release_expired(request) and retries(request)
  if allowed then
    claim_new_keys(request)
  end
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
      read_cells(s.cells)
      read(s)
      local missing = s.algorithm.uncovered(s, now)
      if missing then
        return { now, missing }
      end
    end
  end
end
