-- Twin of dev.sluice.memory.Deciding, costs that are known only afterwards: reserve and commit.

release_expired(request)

if mode == 'reserve' then
  claim_memory(reservations)
  if acquire(request) then
    call('ZADD', reservations, text(now + request.time), id)
    call('ZADD', reservations, text(request.cost), id .. ':c', text(-request.passes), id .. ':a')
    note_come_back(request, id)
    local keep = ttl(now + request.keep, now)
    if call('PTTL', reservations) < tonumber(keep) then
      call('PEXPIRE', reservations, keep)
    end
  end
  return reply
end

-- Commit: settles with the actual cost, once.
local expires = call('ZSCORE', reservations, id)
local cost, at = call('ZSCORE', reservations, id .. ':c'), call('ZSCORE', reservations, id .. ':a')
if at then
  -- First what frees memory: then the rest is done also where memory is full.
  call('ZREM', reservations, id .. ':a')
  call('ZADD', reservations, text(request.cost), id .. ':c')
  local more = request.cost - cost
  for i, s in ipairs(request) do
    local by = take_come_back(request, id, i)
    if s.algorithm.release then
      s.algorithm.release(s, now, id)
    elseif more < 0 then
      give_back(s, -more, -at, by)
    else
      charge(s, available(s, more), now)
    end
    s.algorithm.save(s, now)
  end
end
if cost and not at and cost + 0 ~= request.cost then
  -- Settled otherwise, and so it stays for as long as it is known.
  for _, s in ipairs(request) do
    s.retry = expires - now
  end
end
answer(request, expires and 0 or 2, 0)
return reply
