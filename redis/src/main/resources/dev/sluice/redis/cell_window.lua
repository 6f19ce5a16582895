-- Part of other files: FixedWindow.settle where nothing is booked. Brings t and u to the present;
-- windows start with the first request where rolls, else at multiples of per.
if rolls and now - t >= per or not rolls and t < now - now % per then
  t, u = now, 0
end
t = (rolls and u > 0 or t > now) and t or now
