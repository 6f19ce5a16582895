-- Twin of dev.sluice.memory.DecidingTogether: one request, or several that pass all or none.

if requests[1].mode == 'acquire' or requests[1].mode == 'book' then
  local i, before = 1, 1
  for j = 1, #requests > 1 and #requests or 0 do
    for _, s in ipairs(requests[j]) do
      claim_memory(s.key)
    end
  end
  take_seats(requests[1])
  while acquire(requests[i]) do
    if i == #requests then
      return reply
    end
    i, before = i + 1, #reply
    take_seats(requests[i])
  end
  if #requests == 1 then
    return reply
  end
  -- On the first denial takes everything back and asks the others again.
  local denial = { unpack(reply, before + 1) }
  reply = { now }
  for j = i - 1, 1, -1 do
    for _, s in ipairs(requests[j]) do
      s.algorithm.undo(s, requests[j].cost)
      s.algorithm.save(s, now)
    end
  end
  for j = 1, #requests do
    if j == i then
      for _, number in ipairs(denial) do
        reply[#reply + 1] = number
      end
    else
      take_seats(requests[j])
      peek(requests[j])
    end
  end
  return reply
end
