-- Part of acquire.lua: when the limit whose arguments come next has room.
local aligned = ARGV[a + 2]
if aligned == 'epoch' or aligned == 'first' then
  local per, rolls = ARGV[a + 1] + 0, aligned == 'first'
  rare = rare or t - now > per or u >= 1099511627776
  -- + cell_window
  if u + cost > ARGV[a] + 0 then
    retry = (rolls and t or t - t % per) + per - now
  end
  a = a + 3
else
  local n, p, into = ARGV[a + 1] + 0, aligned + 0, 0
  if t > now then
    rare = rare or t - now > ARGV[a + 3] + 0
  end
  -- + cell_bucket
  local owed = u + cost - ARGV[a]
  if owed * p > into * n then
    local rest = owed % n
    retry = t - now + (owed - rest) / n * p + math.ceil(rest * p / n)
    -- More than 70 years: a debt from before the limit was changed, perhaps beyond all time.
    rare = rare or u * p > n * 2251799813685248
  end
  a = a + 4
end
