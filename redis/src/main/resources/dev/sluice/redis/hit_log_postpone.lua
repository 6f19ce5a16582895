-- Twin of dev.sluice.algorithm.HitLog and SlidingLog, what counts later than it was charged for.

-- Adds a hit before those that are later: bookings, of which there are few.
local function insert(s, at, cost)
  local earlier = hit_log.count_until(s, at)
  local times, totals = { at }, { total(s, earlier) + cost }
  for i = earlier + 1, size(s) do
    times[#times + 1], totals[#times + 1] = time(s, i), total(s, i) + cost
  end
  s.seen = at
  replace(s, earlier > 0 and time(s, earlier) == at and earlier or earlier + 1, times, totals)
end

-- Moves the hit of an instant to the present; where it is not found, one more is counted.
function hit_log.postpone(s, cost, present, at)
  local expired, hit = hit_log.count_until(s, present - s.per), hit_log.count_until(s, at)
  if hit > expired and time(s, hit) == at then
    hit_log.take_back(s, hit, hit, cost)
  end
  if s.last_total - total(s, expired) + cost > 2 ^ 23 then
    return
  elseif (s.last_time or present) <= present then
    return hit_log.append(s, expired, present, cost, present)
  elseif expired > 0 then
    drop_first(s, expired)
  end
  insert(s, present, cost)
end
