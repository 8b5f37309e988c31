/** A Lua script: the server runs it as one step, so no other command comes between its reads and writes. */
export interface Script {
  readonly name: string;
  readonly keys: number;
  readonly lua: string;
}

/**
 * KEYS: nonce, bucket. ARGV: nonce's life in seconds, microseconds between requests, burst.
 * The nonce comes first, as in the contract's order of checks: a limited request has used its nonce up.
 * The limit is GCRA: the bucket holds the instant at which it will be empty again, by the server's clock,
 * so that replicas agree whatever their own clocks say. Numbers are below 2^53: microseconds of the epoch
 * are, and Lua's doubles hold them exactly; %.0f writes them without an exponent.
 * Answer: {code, remaining, microseconds until one more would pass, microseconds until the bucket is empty}.
 */
export const admit: Script = {
  name: 'pesapostAdmit',
  keys: 2,
  lua: `
    if not redis.call('SET', KEYS[1], '1', 'NX', 'EX', ARGV[1]) then return {'nonce_reused', 0, 0, 0} end
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    local interval = tonumber(ARGV[2])
    local tolerance = interval * tonumber(ARGV[3])
    local empty = math.max(tonumber(redis.call('GET', KEYS[2]) or now), now)
    local filled = empty + interval
    if filled - now > tolerance then
      return {'limited', 0, filled - now - tolerance, empty - now}
    end
    redis.call('SET', KEYS[2], string.format('%.0f', filled), 'PX', math.ceil((filled - now) / 1000) + 1)
    return {'ok', math.floor((tolerance - (filled - now)) / interval), 0, filled - now}
  `,
};

/** KEYS: key. ARGV: value, life in seconds. Answer: false where claimed, else the value that is there. */
export const claim: Script = {
  name: 'pesapostClaim',
  keys: 1,
  lua: `
    if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then return false end
    return redis.call('GET', KEYS[1])
  `,
};

/** KEYS: key. ARGV: value seen. Answer: 1 where it was still so and is gone now. */
export const removeIfSame: Script = {
  name: 'pesapostRemoveIfSame',
  keys: 1,
  lua: `
    if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
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
 * A bucket lives until it is empty again, so what a stranger makes us keep is gone by itself.
 * Answer: microseconds until one more would fit; 0 where this one did.
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

export const scripts: readonly Script[] = [admit, claim, removeIfSame, countInWindow, countFailure];
