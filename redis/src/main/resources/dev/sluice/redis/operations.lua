-- Twin of dev.sluice.memory.Deciding, what is not a plain request: one request of another mode.
local request = requests[1]
local mode, reservations, id = request.mode, request.reservations, request.id
take_seats(request)

-- How much of a cost there is for a request that passes in any case.
local function available(s, cost)
  local borrows = s.borrows and s.algorithm.earliest(s, cost, now) == now
  return min(cost, borrows and s.largest or s.algorithm.remaining(s, now))
end

-- Of nothing there is nothing to remember.
local function charge(s, cost, at)
  if cost > 0 then
    s.algorithm.charge(s, cost, now, at)
  end
end

if mode == 'peek' then
  release_expired(request)
  peek(request)
  return reply
end

if mode == 'force' then
  local amounts, over
  repeat
    amounts, over = {}, false
    for i, s in ipairs(request) do
      amounts[i] = available(s, request.cost)
      over = over or amounts[i] < request.cost
    end
  until not over or not release_expired(request)
  claim_new_keys(request)
  local at = now
  for _, s in ipairs(request) do
    at = max(at, passes(s, now))
  end
  for i, s in ipairs(request) do
    charge(s, amounts[i], at)
    s.algorithm.save(s, now)
  end
  answer(request, over and 1 or 0, at - now)
  return reply
end

if mode == 'reset' then
  for _, s in ipairs(request) do
    if s.cells then
      forget_cells(s.cells, now)
    else
      call('UNLINK', s.key)
    end
  end
  call('UNLINK', reservations)
  take_seats(request)
  answer(request, 0, 0)
  return reply
end
