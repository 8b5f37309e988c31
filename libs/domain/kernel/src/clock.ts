/** An instant as events hold it: RFC 3339, UTC, exactly three decimals, so text order is time order. */
export type Instant = string & { readonly __brand: 'Instant' };

/** The source of time. Only adapters of this port read a clock. */
export abstract class Clock {
  /** Milliseconds of the Unix epoch, CLOCK_OFFSET included. */
  abstract nowMs(): number;

  now(): Instant {
    return instantFromMs(this.nowMs());
  }
}

const second = 1000;
/** Caches the last second as `YYYY-MM-DDTHH:MM:SS.`, because events are read in the order of time. */
let written = { second: Number.NaN, text: '' };

/** @param ms milliseconds of the Unix epoch */
export function instantFromMs(ms: number): Instant {
  const whole = Math.floor(ms / second);
  if (whole !== written.second || !Number.isInteger(ms))
    written = { second: whole, text: new Date(ms).toISOString().slice(0, -4) };
  const rest = Math.trunc(ms - whole * second);
  return `${written.text}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z` as Instant;
}

/** @returns milliseconds of the Unix epoch */
export function msFromInstant(instant: Instant): number {
  return Date.parse(instant);
}

/**
 * The source of pauses, as `Clock` is the source of time: a simulation decides how long a pause is.
 */
export abstract class Timer {
  /** Resolves after this many milliseconds, or as soon as the signal is aborted; never rejects. */
  abstract sleep(ms: number, until?: AbortSignal): Promise<void>;
}

/**
 * The source of new ids: random UUIDs (version 7), made once per request, callback or worker step. An id is never
 * derived from a reference or a key: then two racing requests would both learn that their append succeeded.
 */
export abstract class Ids {
  abstract next(): string;
}
