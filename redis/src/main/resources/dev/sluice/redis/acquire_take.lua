-- Part of acquire.lua: what limit i says, and its part of the value.
local most, n, p, per = numbers('<dddd', rules, 32 * i - 31)
local t, u, reset = reply[3 * i + 2], reply[3 * i + 3], 0
if allowed and sub(ids, 1, 1) == 'b' then
  -- Who comes to a queue passes after those before him.
  local before = u % n
  reply[3] = t - now + (u - before) / n * p + math.ceil(before * p / n)
end
u = allowed and u + cost or u
local remaining = most - u
if n == 0 then
  reset = u == 0 and t - now or (p == 1 and t or t - t % per) + per - now
else
  local rest = u % n
  reset = t - now + (u - rest) / n * p
  if n > 1 then
    local gained = t < now and (now - t) * n or 0
    remaining = remaining + (gained - gained % p) / p
    reset = reset + math.ceil(rest * p / n)
  end
end
if allowed then
  -- + cell_value
  latest = reset > latest and reset or latest
end
reply[3 * i + 2], reply[3 * i + 3] = remaining > 0 and remaining or 0, reset
