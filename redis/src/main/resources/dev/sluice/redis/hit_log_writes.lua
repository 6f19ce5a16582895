-- Twin of dev.sluice.algorithm.HitLog, what adds to the list. What is written gets its TTL in save.

local function stored(s, sum)
  return text((s.base + sum + s.modulus / 2) % s.modulus - s.modulus / 2)
end

local function write_seen(s)
  local header = s.seen == s.last_time and max(0, s.header) or -s.seen
  if header ~= s.header then
    s.header = header
    write(s, 'LSET', '0', text(header))
  end
end

-- A new list with the newest hit alone.
local function create(s)
  s.header, s.base, s.size = s.seen == s.last_time and 0 or -s.seen, 0, 1
  s.times, s.totals = { s.last_time }, { [0] = 0, s.last_total }
  if s.known then
    call('UNLINK', s.key)
  end
  write(s, 'RPUSH', text(s.header), '0', text(s.last_time), stored(s, s.last_total))
  s.known, s.unwritten = true, false
end

function hit_log.save(s, reset_at, now)
  if s.unwritten then
    create(s)
  end
  call('PEXPIRE', s.key, ttl(reset_at, now))
end

-- Drops the oldest hits, as many as have expired.
local function drop_first(s, expired)
  call('LTRIM', s.key, text(2 * expired), '-1')
  local dropped = total(s, expired)
  s.times = { time(s, expired + 1) }
  s.totals = { [0] = 0, total(s, expired + 1) - dropped }
  s.header, s.base, s.last_total = 0, s.base + dropped, s.last_total - dropped
  s.size = s.size and s.size - expired
end

-- Adds a hit that is not older than the newest, to a log of which some have expired.
function hit_log.append(s, expired, at, cost, present)
  if s.unwritten then
    create(s)
  end
  s.seen = present
  if not s.known or expired > 0 and expired == size(s) then
    s.last_time, s.last_total = at, cost
    return create(s)
  end
  if expired > 0 then
    drop_first(s, expired)
  end
  s.last_total = s.last_total + cost
  if s.last_time == at then
    write(s, 'LSET', '-1', stored(s, s.last_total))
  else
    write(s, 'RPUSH', text(at), stored(s, s.last_total))
    s.size = s.size and s.size + 1
  end
  -- Only the oldest hit is still known for sure.
  s.times, s.totals = { s.times[1] or at }, { [0] = 0, s.totals[1] }
  if s.times[1] == at then
    s.totals[1] = s.last_total
  end
  s.last_time = at
  write_seen(s)
end
