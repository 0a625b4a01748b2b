// What Redis runs: each script is one decision, atomic, in one round trip, on the server's own clock, so that all replicas agree on the time.

/** Microseconds: whole numbers that a Lua number holds exactly. */
const NOW = `
local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
`

/**
 * Forgets what has left the window. Entries from the future are there after the server's clock was set back: they count as made now, so
 * that the window neither opens nor stays shut for longer than its length.
 */
const PRUNE = `
local function prune(key, windowMs)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now - windowMs * 1000)
  if redis.call('ZCOUNT', key, '(' .. string.format('%.0f', now), '+inf') > 0 then
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. string.format('%.0f', now), '+inf')) do
      redis.call('ZADD', key, 'XX', now, member)
    end
  end
  return redis.call('ZCARD', key)
end
`

/**
 * All rules of one request. Modes are 'e' for enforced, 's' for shadow, '-' for not asked.
 * KEYS: rate, blocks, times, as far as asked. ARGV: rate mode, block modes, times mode, requests, window, member, times kept, for how long.
 * Answer: remaining (-1 refused, -2 not asked), number of the block that was found (0: none), what is left of it, its reason, times.
 */
export const ASK = `${NOW}${PRUNE}
local at, remaining, ended = 0, -2, false
if ARGV[1] ~= '-' then
  at = 1
  local most, windowMs = tonumber(ARGV[4]), tonumber(ARGV[5])
  local count = prune(KEYS[1], windowMs)
  if count < most then
    redis.call('ZADD', KEYS[1], now, ARGV[6])
    redis.call('PEXPIRE', KEYS[1], windowMs + 1000)
    remaining = most - count - 1
  else
    if ARGV[1] == 'e' then return {-1, 0, 0, '', {}} end
    remaining, ended = -1, true
  end
end
local found, left, reason = 0, 0, ''
for i = 1, #ARGV[2] do
  local mode, key = string.sub(ARGV[2], i, i), KEYS[at + i]
  if mode == 'e' or not ended then
    left = redis.call('PTTL', key)
    if left > 0 then
      found, reason = i, redis.call('GET', key)
      if mode == 'e' then return {remaining, found, left, reason, {}} end
      ended = true
      break
    end
  end
end
local times = {}
if ARGV[3] == 'e' or (ARGV[3] == 's' and not ended) then
  local key = KEYS[#KEYS]
  redis.call('RPUSH', key, now)
  redis.call('LTRIM', key, -tonumber(ARGV[7]), -1)
  redis.call('PEXPIRE', key, ARGV[8])
  times = redis.call('LRANGE', key, 0, -1)
end
return {remaining, found, left, reason, times}
`

/** KEYS: counters. ARGV: for each its window, the most that is counted, the member. A member that is there keeps its time. */
export const NOTE_FAILURES = `${NOW}${PRUNE}
local counts = {}
for i, key in ipairs(KEYS) do
  local windowMs, most, member = tonumber(ARGV[i * 3 - 2]), tonumber(ARGV[i * 3 - 1]), ARGV[i * 3]
  if prune(key, windowMs) < most then redis.call('ZADD', key, 'NX', now, member) end
  redis.call('PEXPIRE', key, windowMs + 1000)
  counts[i] = redis.call('ZCARD', key)
end
return counts
`

/** KEYS: the addresses of one name. ARGV: address, how many are kept, for how long. */
export const REMEMBER = `${NOW}
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -tonumber(ARGV[2]) - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`

/** For operators. KEYS: windows, blocks, times. ARGV: how many windows, then the length of each. */
export const LOOK = `${NOW}
local windows = tonumber(ARGV[1])
local before_times = windows + tonumber(ARGV[2])
local counts, blocks, times = {}, {}, {}
for i = 1, windows do
  local first = '(' .. string.format('%.0f', now - tonumber(ARGV[i + 2]) * 1000)
  counts[i] = redis.call('ZCOUNT', KEYS[i], first, '+inf')
end
for i = windows + 1, before_times do
  local left = redis.call('PTTL', KEYS[i])
  if left > 0 then blocks[#blocks + 1] = {i - windows, left, redis.call('GET', KEYS[i])} end
end
for i = before_times + 1, #KEYS do times[i - before_times] = redis.call('LRANGE', KEYS[i], 0, -1) end
return {counts, blocks, times}
`
