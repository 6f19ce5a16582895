-- Part of batch_buckets.lua: the value of the bucket of bucket_take.lua. One that is found again is given a
-- term, so that it can be raised from then on: spans of more than four times the time for which it is
-- needed, or after which it was found again, and four times those of the term that it had; or shorter ones,
-- for it lives a period longer at most than its limit may remember. No span goes beyond a round, so nor does t
-- where it is raised.
local term = 0
if cell and u < 512 and per < HALF then
  local lasts, again, longest = now - t + latest, now - found_t, per + (latest > per and latest or per)
  local _, times = math.frexp((again > lasts and again or lasts) * 4 / TERM)
  local longer = (code - found_u) / 512 + 2
  times = times > longer and times or longer
  for less = 0, 3 do
    local span = TERM * 2 ^ (times - less)
    local left = t - t % span + 2 * span - now
    if span > TERM and left >= latest and left <= longest and now - t + left < 5e11 then
      term, latest = (times - less) * 512, left
      break
    end
  end
end
-- + bucket_value
