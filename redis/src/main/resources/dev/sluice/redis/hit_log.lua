-- Twin of dev.sluice.algorithm.HitLog: hits in order of time, each with the running total of permits.
-- KEYS   a list: seen, base, then the time and the total of each hit
-- Totals are kept modulo s.modulus and told here as permits since base, so they stay small however
-- long a log lives. What is dropped at the old end leaves its newest hit behind as the first pair.
-- The first element is -seen, or, where seen is the time of the newest hit, anything from 0.
-- Hits are numbered from 1; 0 is base.
local hit_log = {}

-- Reads hit i, and some after it, which are often wanted next.
local function fetch(s, i, hits)
  local found = call('LRANGE', s.key, text(2 * i), text(2 * (i + hits) - 1))
  for j = 1, #found, 2 do
    s.times[i], s.totals[i] = found[j] + 0, (found[j + 1] - s.base) % s.modulus
    i = i + 1
  end
end

-- Nothing after the newest hit.
local function time(s, i)
  if not s.times[i] then
    fetch(s, i, 8)
  end
  return s.times[i]
end

local function total(s, i)
  if not s.totals[i] then
    fetch(s, i, 8)
  end
  return s.totals[i]
end

local function size(s)
  s.size = s.size or call('LLEN', s.key) / 2 - 1
  return s.size
end

local function present(s, now)
  return s.seen and max(now, s.seen) or now
end

function hit_log.read(s, modulus)
  s.modulus, s.times, s.totals, s.last_total = modulus, {}, { [0] = 0 }, 0
  local head = call('LRANGE', s.key, '0', '7')
  s.known, s.header, s.base = head[1] ~= nil, (head[1] or 0) + 0, (head[2] or 0) + 0
  for i = 3, #head, 2 do
    s.times[(i - 1) / 2], s.totals[(i - 1) / 2] = head[i] + 0, (head[i + 1] - s.base) % modulus
  end
  if #head < 8 then
    s.size = max(0, #head / 2 - 1)
    s.last_time, s.last_total = s.times[s.size], s.totals[s.size]
  else
    local tail = call('LRANGE', s.key, '-2', '-1')
    s.last_time, s.last_total = tail[1] + 0, (tail[2] - s.base) % modulus
  end
  s.seen = s.header < 0 and -s.header or s.last_time
end

-- All that is remembered counts as one hit; nothing is written before the state is saved.
function hit_log.restart(s, at, now)
  s.unwritten, s.size, s.seen, s.base = true, 1, now, 0
  s.times, s.totals, s.last_time = { at }, { [0] = 0, s.last_total }, at
end
