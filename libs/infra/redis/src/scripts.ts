/** A Lua script: the server runs it as one step, so no other command comes between its reads and writes. */
export interface Script {
  readonly name: string;
  readonly keys: number;
  readonly lua: string;
}

/** Lifetime of nonces and of the fast layer of idempotency claims; it is the same, since they are counted together. */
export const entryLifeSeconds = 900;

/** The count of live entries advances in steps of this length, so it is at most this late. */
export const slotSeconds = 15;

/** An entry counts in its own slot and until its life is over, so the count is never too low. */
const slots = Math.ceil(entryLifeSeconds / slotSeconds) + 1;

/**
 * Counts a credential's live entries: a hash of the count by the slot in which they were made, the newest slot (`at`)
 * and the sum (`live`). Whatever the number of entries, it is below a kilobyte, and a request reads and writes three of
 * its fields. `now` is the server's time in seconds.
 */
const liveEntries = `
    local function advance(key, now)
      local slot = math.floor(now / ${slotSeconds})
      local known = redis.call('HMGET', key, 'at', 'live')
      local at, live = tonumber(known[1] or -1), tonumber(known[2] or 0)
      if slot <= at then return at, live end
      if slot - at >= ${slots} then
        redis.call('DEL', key)
        live = 0
      else
        for ended = at + 1, slot do
          local count = tonumber(redis.call('HGET', key, ended % ${slots}) or 0)
          if count > 0 then redis.call('HDEL', key, ended % ${slots}) end
          live = live - count
        end
      end
      redis.call('HSET', key, 'at', slot, 'live', live)
      redis.call('EXPIRE', key, ${slots * slotSeconds})
      return slot, live
    end
    local function add(key, slot, count)
      redis.call('HINCRBY', key, 'live', count)
      redis.call('HINCRBY', key, slot % ${slots}, count)
    end
    local function seconds()
      return tonumber(redis.call('TIME')[1])
    end
`;

/**
 * KEYS: nonce, bucket, live entries. ARGV: microseconds between requests, burst, maximum of live entries.
 * A repeated nonce is reported first; a refused request leaves no nonce behind.
 * The limit is GCRA: the bucket contains the instant at which it will be empty again, by the server's clock, so that
 * replicas agree whatever their own clocks say. Numbers are below 2^53: microseconds of the epoch are, and Lua's
 * doubles represent them exactly; %.0f writes them without an exponent.
 * Answer: {code, remaining, microseconds until one more may pass, microseconds until the bucket is empty}.
 */
export const admit: Script = {
  name: 'pesapostAdmit',
  keys: 3,
  lua: `${liveEntries}
    if redis.call('EXISTS', KEYS[1]) == 1 then return {'nonce_reused', 0, 0, 0} end
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    local interval = tonumber(ARGV[1])
    local tolerance = interval * tonumber(ARGV[2])
    local empty = math.max(tonumber(redis.call('GET', KEYS[2]) or now), now)
    local filled = empty + interval
    if filled - now > tolerance then
      return {'limited', 0, filled - now - tolerance, empty - now}
    end
    local slot, live = advance(KEYS[3], tonumber(time[1]))
    if live >= tonumber(ARGV[3]) then
      local ends = slot + 1
      for made = slot - ${slots} + 1, slot do
        if tonumber(redis.call('HGET', KEYS[3], made % ${slots}) or 0) > 0 then
          ends = made + ${slots}
          break
        end
      end
      return {'full', 0, ends * ${slotSeconds} * 1000000 - now, empty - now}
    end
    redis.call('SET', KEYS[1], '1', 'EX', ${entryLifeSeconds})
    add(KEYS[3], slot, 1)
    redis.call('SET', KEYS[2], string.format('%.0f', filled), 'PX', math.ceil((filled - now) / 1000) + 1)
    return {'ok', math.floor((tolerance - (filled - now)) / interval), 0, filled - now}
  `,
};

/** KEYS: claim, live entries. ARGV: value. Answer: false if claimed, otherwise the existing value. */
export const claim: Script = {
  name: 'pesapostClaim',
  keys: 2,
  lua: `${liveEntries}
    if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ${entryLifeSeconds}) then
      add(KEYS[2], advance(KEYS[2], seconds()), 1)
      return false
    end
    return redis.call('GET', KEYS[1])
  `,
};

/**
 * KEYS: claim, live entries. ARGV: value. Answer: 1 if the claim had this value and is deleted now. The rest of its
 * life gives the slot in which it counts.
 */
export const giveBackClaim: Script = {
  name: 'pesapostGiveBackClaim',
  keys: 2,
  lua: `${liveEntries}
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    local time = redis.call('TIME')
    local ends = time[1] + time[2] / 1000000 + redis.call('PTTL', KEYS[1]) / 1000
    redis.call('DEL', KEYS[1])
    local made = math.floor((ends - ${entryLifeSeconds}) / ${slotSeconds})
    local slot = advance(KEYS[2], tonumber(time[1]))
    local field = made % ${slots}
    if made <= slot and slot - made < ${slots}
        and tonumber(redis.call('HGET', KEYS[2], field) or 0) > 0 then add(KEYS[2], made, -1) end
    return 1
  `,
};

/** KEYS: name. ARGV: value, life in seconds. Answer: false if claimed, otherwise the existing value. */
export const claimName: Script = {
  name: 'pesapostClaimName',
  keys: 1,
  lua: `
    if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then return false end
    return redis.call('GET', KEYS[1])
  `,
};

/** KEYS: key. ARGV: value seen. Answer: 1 if it still had that value and is deleted now. */
export const removeIfSame: Script = {
  name: 'pesapostRemoveIfSame',
  keys: 1,
  lua: `
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('DEL', KEYS[1])
  `,
};

/** The same as `removeIfSame`; but if KEYS[2] exists, the key stays, and the answer is -1. */
export const removeIfSameAndAlone: Script = {
  name: 'pesapostRemoveIfSameAndAlone',
  keys: 2,
  lua: `
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
    if redis.call('EXISTS', KEYS[2]) == 1 then return -1 end
    return redis.call('DEL', KEYS[1])
  `,
};

/** KEYS: counter. ARGV: window in milliseconds. Answer: {count, milliseconds left of the window}. */
export const countInWindow: Script = {
  name: 'pesapostCountInWindow',
  keys: 1,
  lua: `
    local count = redis.call('INCR', KEYS[1])
    if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
    return {count, redis.call('PTTL', KEYS[1])}
  `,
};

/**
 * KEYS: bucket. ARGV: microseconds between failures, burst. The same GCRA as `admit`, by the server's clock.
 * A bucket lives until it is empty again, so the data that an untrusted sender causes disappear by themselves.
 * Answer: microseconds until one more would fit; 0 if this one did.
 */
export const countFailure: Script = {
  name: 'pesapostCountFailure',
  keys: 1,
  lua: `
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    local interval = tonumber(ARGV[1])
    local filled = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + interval
    local over = filled - now - interval * tonumber(ARGV[2])
    if over > 0 then return over end
    redis.call('SET', KEYS[1], string.format('%.0f', filled), 'PX', math.ceil((filled - now) / 1000) + 1)
    return 0
  `,
};

/** KEYS: number, 0 if there is none. ARGV: the addend, and milliseconds after which it is deleted. Answer: the sum. */
export const addTo: Script = {
  name: 'pesapostAddTo',
  keys: 1,
  lua: `
    local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return sum
  `,
};

export const scripts: readonly Script[] = [
  admit,
  claim,
  giveBackClaim,
  claimName,
  removeIfSame,
  removeIfSameAndAlone,
  countInWindow,
  countFailure,
  addTo,
];
