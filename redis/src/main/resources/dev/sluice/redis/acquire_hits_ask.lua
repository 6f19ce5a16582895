-- Part of acquire_hits.lua: when a log has room. Places in head: first is where the oldest hit stands that
-- counts as a whole, room what the hits after the one at k leave.
local first = 3
while head[first] and head[first] + 0 <= leaving do
  first = first + 2
end
rare = rare or first > 7 or last + 0 > at or now + head[1] < 0
used = (sum - head[first - 1]) % modulus
expired = first - 3
if precision > 0 and expired > 0 and head[first - 2] + 0 == leaving then
  -- The block that leaves counts by its overlap.
  local count = (head[first - 1] - head[first - 3]) % modulus
  local left = count * (now - at)
  rare = rare or left >= 9007199254740992
  used = used + count - (left - left % precision) / precision
  expired = expired - 2
end
if used + cost > permits then
  local k, room = expired + 3, -1
  while head[k] and room < 0 do
    room = permits - cost - (sum - head[k + 1]) % modulus
    k = k + 2
  end
  rare = rare or room < 0 or room * precision >= 9007199254740992 or used + cost > 8388608
  if not rare then
    local count = (head[k - 1] - head[k - 3]) % modulus
    local rest = room * precision % count
    -- Not before now: blocks of other rules may have left by their overlap, but not as a whole.
    retry = math.max(0, head[k - 2] + per + precision - (room * precision - rest) / count - now)
  end
end
