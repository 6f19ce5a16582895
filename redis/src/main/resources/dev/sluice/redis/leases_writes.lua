-- Twin of dev.sluice.algorithm.Leases, what is written of the set.

local function cut_to_latest(s)
  if s.latest then
    write(s, 'ZADD', text(s.per - s.latest), '::')
  end
  while s.latest do
    local late = call('ZRANGEBYSCORE', s.key, '(' .. text(s.latest), '+inf', 'LIMIT', '0', '100')
    for i = 1, #late do
      write(s, 'ZADD', text(s.latest), late[i])
    end
    s.latest = #late > 0 and s.latest or nil
  end
end

local function drop_ended(s, now)
  if s.drops then
    if not single(s) then
      each(s, INSTANTS, text(now), function(id)
        call('ZREM', s.key, id .. ':')
      end)
    end
    call('ZREMRANGEBYSCORE', s.key, INSTANTS, text(now))
    s.total, s.ended, s.drops = s.total - s.ended, 0, false
    call('ZADD', s.key, text(s.total), ':')
  end
end

local function release(s, id)
  if not call('ZSCORE', s.key, id) then
    return false
  end
  local permits = call('ZSCORE', s.key, id .. ':') or 1
  s.total = write(s, 'ZINCRBY', text(-permits), ':') + 0
  call('ZREM', s.key, id, id .. ':')
  s.last_end = last_end(s)
  if not s.last_end then
    call('UNLINK', s.key)
  end
  return true
end

local function hold(s, id, cost, ends, from)
  release(s, id)
  s.total, s.last_end = s.total + cost, max(s.last_end or 0, ends)
  write(s, 'ZADD', text(s.total), ':', text(-from), '::', text(ends), id)
  if cost > 1 then
    call('ZADD', s.key, text(cost), id .. ':')
  end
end
