-- Part of batch_buckets.lua: what batch_quick.lua has to know of a term. How many permits may be in use, and
-- how many at once of a full bucket, so that it lives for long enough; and 16384 times how long ago the
-- span began in which the present lies.
local term = code - found_u
if raised and not used[term] then
  local span, least = TERM * 2 ^ (term / 512), most < 511 and most or 511
  local whole, rest = span * n / p, (2 * span - now % span) * n / p
  used[term], fresh[term] = whole < least and whole or least, rest < least and rest or least
  span_since[term] = now % span * 16384
end
