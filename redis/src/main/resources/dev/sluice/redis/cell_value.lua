-- Part of other files: the value of a plan with t and u of one more limit, as cells.lua describes it.
if (ids == 't\n' or ids == 'f\n') and u <= 9999 and t > EPOCH then
  value = format(ids == 'f\n' and '-%.0f%04.0f' or '%.0f%04.0f', t - EPOCH, u)
else
  value = (value or ids) .. struct.pack('<dd', t, u)
end
