-- Twin of dev.sluice.algorithm.HitLog, what is written of the list. It gets its TTL in save.

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

-- Puts other hits in place of those from number k on.
local function replace(s, k, times, totals)
  call('LTRIM', s.key, '0', text(2 * k - 1))
  for i = 1, #times, 100 do
    local hits = {}
    for j = i, min(i + 99, #times) do
      hits[#hits + 1], hits[#hits + 2] = text(times[j]), stored(s, totals[j])
    end
    call('RPUSH', s.key, unpack(hits))
  end
  s.size = k - 1 + #times
  s.last_time, s.last_total = times[#times], totals[#times]
  if #times == 0 then
    s.last_time, s.last_total = k > 1 and time(s, k - 1) or nil, total(s, k - 1)
  end
  s.times, s.totals = {}, { [0] = 0 }
  write_seen(s)
end
