-- Twin of dev.sluice.memory.Deciding, what changes an earlier charge: gives it back, counts it later,
-- or ends a hold.

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

if mode == 'release' then
  local held = false
  for _, s in ipairs(request) do
    held = s.algorithm.release and s.algorithm.release(s, now, id) or held
    save_if_known(s)
  end
  answer(request, held and 0 or 2, 0)
  return reply
end
