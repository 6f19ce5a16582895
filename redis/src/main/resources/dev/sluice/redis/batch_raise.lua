-- Part of batch.lua: the value of the bucket of bucket_take.lua. One that is in use is raised where it
-- lies, if its term says that it lives for long enough: less work for the server than to write it. A term
-- counts from t, so it is shortened when t moves. One that is written while in use gets a term, for which
-- it lives up to four times as long as it has to, but never a period longer.
local raised, times, ends = false, (code - found_u) / 400, 0
if u > taken then
  ends = found_t + math.ldexp(TERM, times)
  if times > 0 and u < 400 and ends >= now + latest then
    if t > found_t then
      times = t + math.ldexp(TERM, times - 1) <= ends and times - 1 or 0
    end
    local by = (t - found_t) * 10000 + times * 400 + u - code
    raised = type(try('INCRBY', KEYS[group], by == 1 and '1' or format('%d', by))) == 'number'
  else
    local _, least = math.frexp((now - t + latest) / TERM)
    times = t + math.ldexp(TERM, least + 1) <= now + latest + per and least + 1 or least
    ends = t + math.ldexp(TERM, times)
    if times > 0 and times < 25 and ends <= now + latest + per then
      term, latest = times * 400, ends - now
    end
  end
end
if not raised then
  -- + cell_value
end
