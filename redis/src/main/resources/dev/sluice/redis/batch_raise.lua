-- Part of batch.lua: the value of the bucket of bucket_take.lua. One that is in use is raised where it
-- lies, if it lives for long enough, and there is nothing to write: that is less work for the server.
-- So one that is written while in use lives for twice as long as it has to.
local raised, by = false, (t - found_t) * 10000 + u - found_u
if u > taken and u <= 9999 and by < 2 ^ 53 then
  if call('PTTL', KEYS[group]) * 1000 >= latest + grace then
    raised = type(try('INCRBY', KEYS[group], format('%d', by))) == 'number'
  else
    latest = latest + (latest < per and latest or per)
  end
end
if not raised then
  -- + cell_value
end
