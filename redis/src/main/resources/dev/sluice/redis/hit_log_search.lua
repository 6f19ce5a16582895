-- Twin of dev.sluice.algorithm.HitLog, what looks for a hit: a few reads, however long the log is.

-- The first number above low for which the question is answered with yes. Gallops, then searches:
-- what is wanted is mostly near the old end.
local function first(low, question)
  local high, step = low + 1, 1
  while not question(high) do
    low, step = high, step * 2
    high = high + step
  end
  while low + 1 < high do
    local middle = floor((low + high) / 2)
    if question(middle) then
      high = middle
    else
      low = middle
    end
  end
  return high
end

-- How many hits are at or before cutoff.
function hit_log.count_until(s, cutoff)
  if not s.last_time or time(s, 1) > cutoff then
    return 0
  elseif s.last_time <= cutoff then
    return size(s)
  end
  return first(1, function(i)
    return (time(s, i) or cutoff + 1) > cutoff
  end) - 1
end

-- The oldest hit at which the total has reached need.
function hit_log.first_reaching(s, need)
  return first(0, function(i)
    return (total(s, i) or need) >= need
  end)
end
