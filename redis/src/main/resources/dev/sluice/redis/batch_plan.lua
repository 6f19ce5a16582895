-- Part of batch.lua: the limits of the plan whose arguments come next. Of each: what it holds; permits and
-- microseconds of a cycle, which a window does not have; period; whether windows start with the first
-- request.
local most, ns, ps, pers, first = {}, {}, {}, {}, {}
for i = 1, limits do
  local aligned = ARGV[a + 2]
  most[i] = ARGV[a] + 0
  if aligned == 'epoch' or aligned == 'first' then
    pers[i], first[i] = ARGV[a + 1] + 0, aligned == 'first'
    a = a + 3
  else
    ns[i], ps[i], pers[i] = ARGV[a + 1] + 0, aligned + 0, ARGV[a + 3] + 0
    a = a + 4
  end
end
