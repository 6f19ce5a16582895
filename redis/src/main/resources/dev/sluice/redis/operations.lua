-- Twin of dev.sluice.memory.Deciding, what is not a plain request: one request of another mode.
local request = requests[1]
local mode, reservations, id = request.mode, request.reservations, request.id
take_seats(request)

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
      amounts[i] = min(request.cost, s.algorithm.remaining(s, now))
      over = over or amounts[i] < request.cost
    end
  until not over or not release_expired(request)
  claim_new_keys(request)
  local at = now
  for _, s in ipairs(request) do
    at = max(at, passes(s, now))
  end
  for i, s in ipairs(request) do
    s.algorithm.charge(s, amounts[i], now, at)
    s.algorithm.save(s, now)
  end
  answer(request, over and 1 or 0, at - now)
  return reply
end

if mode == 'give_back' then
  for _, s in ipairs(request) do
    give_back(s, request.cost, request.time)
    save_if_known(s)
  end
  answer(request, 0, 0)
  return reply
end

if mode == 'postpone' then
  for _, s in ipairs(request) do
    if s.algorithm.postpone then
      s.algorithm.postpone(s, request.cost, now, request.time)
      s.algorithm.save(s, now)
    end
  end
  answer(request, 0, 0)
  return reply
end

if mode == 'reset' then
  for _, s in ipairs(request) do
    call('UNLINK', s.key)
  end
  call('UNLINK', reservations)
  take_seats(request)
  answer(request, 0, 0)
  return reply
end

if mode == 'release' then
  local held = false
  for _, s in ipairs(request) do
    held = s.algorithm.release and s.algorithm.release(s, now, id) or held
    save_if_known(s)
  end
  answer(request, held and 0 or 2, 0)
  return reply
end
