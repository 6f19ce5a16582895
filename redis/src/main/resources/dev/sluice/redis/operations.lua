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

release_expired(request)

if mode == 'reserve' then
  if acquire(request) then
    call('ZADD', reservations, text(now + request.time), id)
    call('ZADD', reservations, text(request.cost), id .. ':c', text(-request.passes), id .. ':a')
    local keep = ttl(now + request.keep, now)
    if call('PTTL', reservations) < tonumber(keep) then
      call('PEXPIRE', reservations, keep)
    end
  end
  return reply
end

-- Commit: settles with the actual cost, once.
local known = call('ZSCORE', reservations, id)
local cost, at = call('ZSCORE', reservations, id .. ':c'), call('ZSCORE', reservations, id .. ':a')
if cost then
  call('ZREM', reservations, id .. ':c', id .. ':a')
  local more = request.cost - cost
  for _, s in ipairs(request) do
    if s.algorithm.release then
      s.algorithm.release(s, now, id)
    elseif more < 0 then
      give_back(s, -more, -at)
    elseif more > 0 then
      s.algorithm.charge(s, min(more, s.algorithm.remaining(s, now)), now, now)
    end
    s.algorithm.save(s, now)
  end
end
answer(request, known and 0 or 2, 0)
return reply
