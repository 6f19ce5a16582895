-- Part of acquire.lua: writes the value.
-- + cell_life
life = format('%d', life)
if try('SET', key, value, 'PX', life).err then
  -- No memory: refused, unless the key is there and does not grow; see prelude.lua.
  if cell then
    call('PEXPIRE', key, life)
  end
  call('SET', key, value, 'PX', life)
end
