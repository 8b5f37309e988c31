const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const duration = /^(-?)(\d{1,12})(ms|s|m|h|d)$/;

/**
 * Reads a duration as settings write it: `800ms`, `75s`, `5m`, `48h`, `30d`; `0` needs no unit.
 * @returns milliseconds, or undefined if the text is no duration
 */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0;
  const match = duration.exec(text);
  if (!match) return undefined;
  const [, sign, digits, unit] = match;
  const ms = Number(digits) * unitMs[unit as keyof typeof unitMs];
  if (!Number.isSafeInteger(ms)) return undefined;
  return sign === '-' ? 0 - ms : ms;
}

/** A rate limit: `limit` requests per `intervalMs` in the long run, `burst` of them at once. */
export interface Rate {
  readonly limit: number;
  readonly intervalMs: number;
  readonly burst: number;
}

const intervalMs = { s: 1000, m: 60_000, h: 3_600_000 } as const;
const rate = /^([1-9]\d{0,6})\/([smh])(?: burst ([1-9]\d{0,6}))?$/;

/**
 * Reads a rate as settings and the command line write it: `100/s`, `60/m`, `100/s burst 200`. Without a burst, one
 * interval's requests may come at once.
 * @returns undefined if the text is no rate
 */
export function parseRate(text: string): Rate | undefined {
  const match = rate.exec(text);
  if (!match) return undefined;
  const limit = Number(match[1]);
  return {
    limit,
    intervalMs: intervalMs[match[2] as keyof typeof intervalMs],
    burst: match[3] === undefined ? limit : Number(match[3]),
  };
}

/** Formats a rate in its canonical form; `parseRate` reads it back. */
export function formatRate({ limit, intervalMs: interval, burst }: Rate): string {
  const unit = (Object.keys(intervalMs) as (keyof typeof intervalMs)[]).find(
    (name) => intervalMs[name] === interval,
  );
  if (unit === undefined) throw new RangeError(`a rate is per second, minute or hour`);
  return `${limit}/${unit}${burst === limit ? '' : ` burst ${burst}`}`;
}

/** One key of MASTER_KEY: 32 bytes under the id that every ciphertext and HMAC names. */
export interface MasterKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** True if a master key may have this id. */
export function isKeyId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,32}$/.test(text);
}

/** Reads `id:base64[,id:base64…]` into keys; the first encrypts, all decrypt. The complaint never contains a key. */
export function parseMasterKeys(text: string): readonly MasterKey[] | { readonly problem: string } {
  const keys: MasterKey[] = [];
  for (const part of text.split(',')) {
    const colon = part.indexOf(':');
    const id = part.slice(0, Math.max(colon, 0)).trim();
    const base64 = part.slice(colon + 1).trim();
    if (!isKeyId(id))
      return { problem: 'each key is written id:base64, the id 1 to 32 letters, digits, - or _' };
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length !== 32 || bytes.toString('base64') !== base64)
      return { problem: `key "${id}" must be the base64 of exactly 32 bytes` };
    if (keys.some((key) => key.id === id)) return { problem: `the id "${id}" is there twice` };
    keys.push({ id, bytes });
  }
  return keys;
}

/** The request of CRASH_AT: to log every point passed, or to die when one is passed for the `pass`-th time. */
export type CrashAt =
  | { readonly kind: 'trace' }
  | { readonly kind: 'die'; readonly point: string; readonly pass: number };

/** Reads `trace` or `<adapter>:<what>:<before|after>[#n]`, n counted from 1. */
export function parseCrashAt(text: string): CrashAt | undefined {
  if (text === 'trace') return { kind: 'trace' };
  const match = /^([a-z]+:[^#]+:(?:before|after))(?:#([1-9]\d{0,5}))?$/.exec(text);
  if (!match?.[1]) return undefined;
  return { kind: 'die', point: match[1], pass: match[2] === undefined ? 1 : Number(match[2]) };
}
