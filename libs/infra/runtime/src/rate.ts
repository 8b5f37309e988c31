/** A rate limit: `limit` requests per `intervalMs` in the long run, `burst` of them at once. */
export interface Rate {
  readonly limit: number;
  readonly intervalMs: number;
  readonly burst: number;
}

const intervalMs = { s: 1000, m: 60_000, h: 3_600_000 } as const;
const rate = /^([1-9]\d{0,6})\/([smh])(?: burst ([1-9]\d{0,6}))?$/;

/**
 * Reads a rate as settings and the command line write it: `100/s`, `60/m`, `100/s burst 200`.
 * Without a burst, one interval's worth may come at once.
 * @returns undefined where the text is no rate
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

/** The one text of a rate; `parseRate` reads it back. */
export function formatRate({ limit, intervalMs: interval, burst }: Rate): string {
  const unit = (Object.keys(intervalMs) as (keyof typeof intervalMs)[]).find(
    (name) => intervalMs[name] === interval,
  );
  if (unit === undefined) throw new RangeError(`a rate is per second, minute or hour`);
  return `${limit}/${unit}${burst === limit ? '' : ` burst ${burst}`}`;
}
