-- Part of other files: how a bucket or a window is kept. From t, u and reset, the time until it is as if
-- never seen, to value and life. Earlier instants and more than 9999 permits are written as t:u, the
-- rest as one number of at most 19 digits, which Redis keeps in the key's own 16 bytes.
if u <= 9999 and t >= EPOCH then
  value = format('%.0f%04.0f', t - EPOCH, u)
else
  value = format('%.0f:%05.0f', t, u)
end
life = reset + grace + 999
life = format('%.0f', (life - life % 1000) / 1000)
