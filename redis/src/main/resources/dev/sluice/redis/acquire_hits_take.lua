-- Part of acquire_hits.lua: adds a hit to the log of limit i. Totals are stored as in hit_log_writes.lua.
local permits, used, at, per, precision, modulus, header, last, sum, expired = unpack(asked[i])
-- Where memory is out the first write is refused, and nothing is done yet; see prelude.lua.
local run, done = i == 1 and try or call, nil
local seen = at == now and 0 or -now
if not last or last + 0 < at - per then
  -- All has expired.
  if last then
    call('UNLINK', KEYS[i])
    header = seen
  end
  done = run('RPUSH', KEYS[i], format('%.0f', seen), '0', format('%.0f', at), cost)
else
  if expired > 0 then
    call('LTRIM', KEYS[i], expired, '-1')
    header = 0
  end
  local total = format('%.0f', (sum + cost + modulus / 2) % modulus - modulus / 2)
  if last + 0 == at then
    done = run('LSET', KEYS[i], '-1', total)
  else
    done = run('RPUSH', KEYS[i], format('%.0f', at), total)
  end
end
if type(done) == 'table' and done.err then
  rare = true
  break
end
if last and (header + 0 < 0 or seen < 0) and header + 0 ~= seen then
  call('LSET', KEYS[i], '0', format('%.0f', seen))
end
local latest = at + per + precision - now
-- + cell_life
call('PEXPIRE', KEYS[i], life)
reply[3 * i + 2], reply[3 * i + 3] = math.max(0, permits - used - cost), latest
