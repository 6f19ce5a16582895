-- The steps of hit_log.lua that change the list. What they write gets its TTL in save.

local function stored(s, sum)
  return text((s.base + sum + s.modulus / 2) % s.modulus - s.modulus / 2)
end

local function write_seen(s)
  local header = s.seen == s.last_time and max(0, s.header) or -s.seen
  if header ~= s.header then
    s.header = header
    call('LSET', s.key, '0', text(header))
  end
end

-- A new list with the newest hit alone.
local function create(s)
  s.header, s.base, s.size = s.seen == s.last_time and 0 or -s.seen, 0, 1
  s.times, s.totals = { s.last_time }, { [0] = 0, s.last_total }
  call('UNLINK', s.key)
  call('RPUSH', s.key, text(s.header), '0', text(s.last_time), stored(s, s.last_total))
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
    call('LSET', s.key, '-1', stored(s, s.last_total))
  else
    call('RPUSH', s.key, text(at), stored(s, s.last_total))
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

-- Takes up to cost out of the hits from oldest to newest, newest first. Hits at the new end that add
-- nothing go.
function hit_log.take_back(s, oldest, newest, cost)
  if s.unwritten then
    create(s)
  end
  local count, most = size(s), max(total(s, newest) - cost, total(s, oldest - 1))
  local taken = total(s, newest) - most
  local k, times, totals = count + 1, {}, {}
  if taken == 0 then
    while k > oldest and total(s, k - 1) == total(s, k - 2) do
      k = k - 1
    end
    return k <= count and replace(s, k, times, totals)
  end
  -- Mostly it is the newest hit alone.
  k = total(s, newest - 1) < most and newest or first(oldest - 1, function(i)
    return (total(s, i) or most) >= most
  end)
  for i = k, newest == count and k or count do
    if not s.times[i] then
      fetch(s, i, 100)
    end
    times[#times + 1] = s.times[i]
    totals[#times] = i > newest and s.totals[i] - taken or min(s.totals[i], most)
  end
  while #times > 0 and totals[#times] == (totals[#times - 1] or total(s, k - 1)) do
    times[#times], totals[#times] = nil, nil
  end
  replace(s, k, times, totals)
end
