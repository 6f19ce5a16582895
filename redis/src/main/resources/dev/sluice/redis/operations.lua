-- Twin of dev.sluice.memory.Deciding, what is not a plain request: one request of another mode.
local request = requests[1]
take_seats(request)

local function reply(says)
  return { now, unpack(says) }
end

local function save_each(change)
  for _, s in ipairs(request.seats) do
    change(s)
    s.algorithm.save(s, now)
  end
end

if request.mode == 'peek' then
  release_expired(request)
  return reply(peek(request))
end

if request.mode == 'force' then
  local amounts, over
  repeat
    amounts, over = {}, false
    for i, s in ipairs(request.seats) do
      amounts[i] = min(request.cost, s.algorithm.remaining(s, now))
      over = over or amounts[i] < request.cost
    end
  until not over or not release_expired(request)
  request.passes = now
  for _, s in ipairs(request.seats) do
    request.passes = max(request.passes, s.algorithm.passes(s, now, now))
  end
  charge_each(request, amounts)
  return reply(answer(request, nil, request.passes - now, over and 1 or 0))
end

if request.mode == 'give_back' then
  save_each(function(s)
    s.algorithm.refund(s, request.cost, now, request.time + 0)
  end)
  return reply(answer(request, nil, 0, 0))
end

if request.mode == 'reset' then
  for _, limit in ipairs(request) do
    call('UNLINK', limit.key)
  end
  call('UNLINK', request.reservations)
  take_seats(request)
  return reply(answer(request, nil, 0, 0))
end

if request.mode == 'release' then
  local held = false
  for _, s in ipairs(request.seats) do
    if s.algorithm.release and s.algorithm.release(s, now, request.id) then
      s.algorithm.save(s, now)
      held = true
    end
  end
  return reply(answer(request, nil, 0, held and 0 or 2))
end

release_expired(request)
local reservations, id = request.reservations, request.id

if request.mode == 'reserve' then
  local says, allowed = acquire(request)
  if allowed then
    local keep = ttl(now + request.keep, now)
    call('ZADD', reservations, text(now + request.time), id)
    call('ZADD', reservations, text(request.cost), id .. ':c', text(-request.passes), id .. ':a')
    if call('PTTL', reservations) < tonumber(keep) then
      call('PEXPIRE', reservations, keep)
    end
  end
  return reply(says)
end

-- Commit: settles with the actual cost, once.
local known = call('ZSCORE', reservations, id)
local cost, at = call('ZSCORE', reservations, id .. ':c'), call('ZSCORE', reservations, id .. ':a')
if known and cost then
  call('ZREM', reservations, id .. ':c', id .. ':a')
  local more = request.cost - cost
  save_each(function(s)
    if s.algorithm.release then
      s.algorithm.release(s, now, id)
    elseif more < 0 then
      s.algorithm.refund(s, -more, now, -at)
    elseif more > 0 then
      s.algorithm.charge(s, min(more, s.algorithm.remaining(s, now)), now, now)
    end
  end)
end
return reply(answer(request, nil, 0, known and 0 or 2))
