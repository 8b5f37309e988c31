import { Dice } from '../core/dice.js';

/** What the customer and the rail make of a prompt. Times are milliseconds after the push was taken. */
export interface Fate {
  /** When the rail says no; absent where it never does. */
  readonly declinesAfterMs?: number;
  readonly failureCode: string;
  /** When the customer pays; absent where never. After a decline: late money. */
  readonly paysAfterMs?: number;
  /** On top of what was asked for. */
  readonly extraMinor: bigint;
}

const failureCodes = ['1032', '1', '2001', '1037'] as const;
const minuteMs = 60_000;

/** Most customers pay within a minute; the others do what test numbers do, and worse. */
export function fateOf(seed: number, stream: string): Fate {
  const dice = new Dice(seed, `customer of ${stream}`);
  const failureCode = dice.pick(failureCodes);
  const soonMs = dice.chance(0.25) ? dice.fraction() * 30 : dice.fraction() * minuteMs;
  const kind = dice.fraction();
  if (kind < 0.5) return { failureCode, extraMinor: 0n, paysAfterMs: soonMs };
  if (kind < 0.6) return { failureCode, extraMinor: 100n, paysAfterMs: soonMs };
  const declinesAfterMs = soonMs;
  if (kind < 0.82) return { failureCode, extraMinor: 0n, declinesAfterMs };
  if (kind < 0.96) {
    const laterMs = dice.chance(0.6)
      ? dice.fraction() * 2 * minuteMs
      : dice.fraction() * 240 * minuteMs;
    return { failureCode, extraMinor: 0n, declinesAfterMs, paysAfterMs: soonMs + laterMs };
  }
  return { failureCode, extraMinor: 0n };
}
