import { type Instant, instantFromMs } from '#domain/kernel';

/** East Africa Time is UTC+3 all year. */
const offsetMs = 3 * 3_600_000;
const digits = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;

/**
 * The timestamp that a request carries and its password covers.
 * @param ms milliseconds of the epoch
 * @returns `YYYYMMDDHHmmss` in East Africa Time
 */
export function toEastAfricaDigits(ms: number): string {
  return instantFromMs(ms + offsetMs)
    .slice(0, 19)
    .replace(/[-T:]/g, '');
}

/** The rail's own time of a payment; undefined where the text is no such time, an impossible date included. */
export function fromEastAfricaDigits(text: string): Instant | undefined {
  const match = digits.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = Date.UTC(year, month - 1, day, hour, minute, second) - offsetMs;
  return toEastAfricaDigits(ms) === text ? instantFromMs(ms) : undefined;
}
