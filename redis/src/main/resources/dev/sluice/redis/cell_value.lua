-- Part of cells_take.lua: the value of a plan with t and u of one more limit, as cells.lua describes it.
if ids == 'f\n' and u <= 9999 and t > EPOCH + ROUND then
  value = format('-%d%04d', t - EPOCH, u)
else
  value = (value or ids) .. packed('<dd', t, u)
end
