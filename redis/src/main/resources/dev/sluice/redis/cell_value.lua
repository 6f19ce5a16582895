-- Part of other files: the value of a plan with t and u of one more limit, as cells.lua describes it.
if u <= 9999 and t > EPOCH and (ids == 't\n' or ids == 'f\n') then
  value = format(ids == 'f\n' and '-%d%04d' or '%d%04d', t - EPOCH, u)
else
  value = (value or ids) .. packed('<dd', t, u)
end
