-- Part of other files: TokenBucket.settle for plain buckets. Brings t and u to the present; into is how
-- long the present cycle of p microseconds has lasted.
if t <= now then
  into = (now - t) % p
  u = u - (now - t - into) / p * n
  t = now - into
  if u * p <= into * n then
    t, u, into = now, 0, 0
  end
elseif u == 0 then
  t = now
end
