-- Twin of dev.sluice.algorithm.HitLog, what gives hits back.

-- Takes up to cost out of the hits from oldest to newest, newest first. Hits at the new end that add
-- nothing go.
function hit_log.take_back(s, oldest, newest, cost)
  if s.unwritten then
    create(s)
  end
  local count, most = size(s), max(total(s, newest) - cost, total(s, oldest - 1))
  local taken = total(s, newest) - most
  local k, times, totals = count + 1, {}, {}
  if taken == 0 then
    while k > oldest and total(s, k - 1) == total(s, k - 2) do
      k = k - 1
    end
    return k <= count and replace(s, k, times, totals)
  end
  -- Mostly it is the newest hit alone.
  k = total(s, newest - 1) < most and newest or first(oldest - 1, function(i)
    return (total(s, i) or most) >= most
  end)
  for i = k, newest == count and k or count do
    if not s.times[i] then
      fetch(s, i, 100)
    end
    times[#times + 1] = s.times[i]
    totals[#times] = i > newest and s.totals[i] - taken or min(s.totals[i], most)
  end
  while #times > 0 and totals[#times] == (totals[#times - 1] or total(s, k - 1)) do
    times[#times], totals[#times] = nil, nil
  end
  replace(s, k, times, totals)
end

-- Gives back a cost from the hits since number oldest: the newest of them, or the one at an instant.
function hit_log.refund(s, cost, oldest, from, at)
  local newest = hit_log.count_until(s, at == 0 and from or at)
  if at == 0 then
    hit_log.take_back(s, oldest, newest, cost)
  elseif newest >= oldest and time(s, newest) == at then
    hit_log.take_back(s, newest, newest, cost)
  end
end

function hit_log.undo(s, cost)
  -- Read again: another request of the same call may have given something back since.
  hit_log.read(s, s.modulus)
  hit_log.take_back(s, size(s), size(s), cost)
end
