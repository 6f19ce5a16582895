-- Twin of dev.sluice.memory.Deciding.retries: when the limits of a request have room.

local function passes(s, at)
  local when = s.algorithm.passes
  return when and when(s, now, at) or at
end

-- How long each limit asks to wait until the request could be admitted; whether none does.
local function retries(request)
  local books = request.mode == 'book' or request.mode == 'reserve'
  local from, allowed = now, true
  for i = 1, #request do
    local s = request[i]
    s.room = s.algorithm.earliest(s, request.cost, now)
    from = books and max(from, s.room) or now
  end
  request.passes = from
  for i = 1, #request do
    request.passes = max(request.passes, passes(request[i], from))
  end
  for i = 1, #request do
    local s = request[i]
    s.retry = s.room - now
    if books and (s.algorithm.books or s.room == now) then
      s.retry = max(0, passes(s, s.room) - request.max_wait - now)
    elseif not books and s.algorithm.books and s.room <= request.passes then
      -- A limit that counts must have room when the queue lets pass.
      s.retry = 0
    end
    if s.algorithm.reach then
      s.retry = max(s.retry, request.passes - s.algorithm.reach(s, now))
    end
    allowed = allowed and s.retry == 0
  end
  return allowed
end
