-- Part of batch.lua: the limits of a plan. Of each: what it holds; permits and microseconds of a cycle,
-- which a window does not have; period; whether windows start with the first request.
local most, ns, ps, pers, first = {}, {}, {}, {}, {}
for i = 1, limits do
  local n, p
  most[i], n, p, pers[i] = numbers('<dddd', rules, 32 * i - 31)
  if n == 0 then
    first[i] = p == 1
  else
    ns[i], ps[i] = n, p
  end
end
