-- Twin of dev.sluice.algorithm.TokenBucket, its arithmetic: n permits come back in each cycle of p
-- microseconds, evenly, or all at its end where s.interval. Products are below 2^53.
-- A debt from before a limit was changed may take longer than anybody can count: then for ever.
local FOREVER = 2 ^ 52

local function permits_within(s, elapsed)
  return s.interval and 0 or (elapsed * s.n - elapsed * s.n % s.p) / s.p
end

local function micros_for(s, count)
  local rest = count % s.n
  local cycles = (count - rest) / s.n
  if s.interval then
    return min(FOREVER, (rest > 0 and cycles + 1 or cycles) * s.p)
  end
  return min(FOREVER, cycles * s.p + ceil(rest * s.p / s.n))
end

-- Tokens that came back since t: less than a cycle, for the state is settled.
local function returned(s, now)
  return now > s.t and s.u > 0 and permits_within(s, now - s.t) or 0
end

-- Tokens that come back in any time, a fraction rounded up.
local function returned_up(s, elapsed)
  local into = elapsed % s.p
  return (elapsed - into) / s.p * s.n + (s.interval and 0 or ceil(into * s.n / s.p))
end

-- A bucket that is full at an instant ahead, where the cost is taken: refills count from the present
-- or before, so many whole cycles before, and their tokens used. No more than numbers are exact for.
local function take_at(s, at, cost, now)
  local into = (at - now) % s.p
  local cycles = (at - now - into) / s.p + (into > 0 and 1 or 0)
  cycles = min(cycles, floor(2 ^ 52 / s.n))
  s.t, s.u = at - cycles * s.p, cycles * s.n + cost
end
