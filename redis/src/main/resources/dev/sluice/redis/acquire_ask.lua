-- Part of acquire.lua: when limit i has room.
local most, n, p, per = numbers('<dddd', rules, 32 * i - 31)
if n == 0 then
  local rolls = p == 1
  rare = rare or t - now > per or u >= 1099511627776
  -- + cell_window
  if u + cost > most then
    retry = (rolls and t or t - t % per) + per - now
  end
else
  local into = 0
  if t > now then
    rare = rare or t - now > per
  end
  -- + cell_bucket
  local owed = u + cost - most
  if owed * p > into * n then
    local rest = owed % n
    retry = t - now + (owed - rest) / n * p + math.ceil(rest * p / n)
    -- More than 70 years: a debt from before the limit was changed, perhaps beyond all time.
    rare = rare or u * p > n * 2251799813685248
  end
end
