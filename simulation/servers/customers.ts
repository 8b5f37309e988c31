import { Dice } from '../core/dice.js';

/** A refusal that the rail considers true, for a while or for good. */
export interface Decline {
  readonly afterMs: number;
  /** Daraja's result code; an unknown one says nothing. */
  readonly code: string;
}

/** The customer's and the rail's reactions to a prompt. Times are milliseconds after the push was taken. */
export interface Fate {
  /** The rail's declines, in order; empty if there are none. */
  readonly declines: readonly Decline[];
  /** The time at which the customer pays; absent if never. After a decline it is late money. */
  readonly paysAfterMs?: number;
  /** Added to the requested amount. */
  readonly extraMinor: bigint;
}

/** A result code that is in no list of ours. */
export const unknownCode = '7777';
const codes = ['1032', '1', '2001', '1037', '1037', '1001', unknownCode] as const;
const minuteMs = 60_000;

/** Most customers pay within a minute. The others behave like the test numbers, and worse. */
export function fateOf(seed: number, stream: string): Fate {
  const dice = new Dice(seed, `customer of ${stream}`);
  const soonMs = dice.chance(0.25) ? dice.fraction() * 30 : dice.fraction() * minuteMs;
  const kind = dice.fraction();
  if (kind < 0.4) return { declines: [], extraMinor: 0n, paysAfterMs: soonMs };
  if (kind < 0.5) return { declines: [], extraMinor: 100n, paysAfterMs: soonMs };
  const declines = declinesFrom(soonMs, dice);
  if (kind < 0.68) return { declines, extraMinor: 0n };
  if (kind < 0.95) {
    const lastMs = declines.at(-1)?.afterMs ?? soonMs;
    const extraMinor = dice.chance(0.2) ? 100n : 0n;
    return { declines, extraMinor, paysAfterMs: lastMs + laterMs(dice) };
  }
  return { declines: [], extraMinor: 0n };
}

/** Returns one refusal, or several, each of which replaces the one before. */
function declinesFrom(firstMs: number, dice: Dice): readonly Decline[] {
  const declines = [{ afterMs: firstMs, code: dice.pick(codes) }];
  for (let last = firstMs; dice.chance(0.2) && declines.length < 3;) {
    last += laterMs(dice);
    declines.push({ afterMs: last, code: dice.pick(codes) });
  }
  return declines;
}

/** Returns a minute or two, or hours. */
function laterMs(dice: Dice): number {
  return dice.fraction() * (dice.chance(0.6) ? 2 : 240) * minuteMs;
}
