-- Part of acquire.lua: writes the value.
-- + cell_life
life = format('%d', life)
if try('SET', KEYS[1], value, 'PX', life).err then
  -- No memory: refused, unless the key is there and does not grow; see prelude.lua.
  if cell then
    call('PEXPIRE', KEYS[1], life)
  end
  call('SET', KEYS[1], value, 'PX', life)
end
