import { Dice } from '../core/dice.js';

/** The rail's act on an order, some time after it took it. */
export interface RailAct {
  readonly afterMs: number;
  /** `queue`: its queue took too long, which says nothing. */
  readonly does: 'pay' | 'decline' | 'queue';
  /** For a decline, Daraja's result code; an unknown one says nothing. */
  readonly code: string;
}

/** The rail's reactions to an order. */
export interface PayoutFate {
  readonly acts: readonly RailAct[];
  /** True if its answer to the order is a refusal, whatever it does later. */
  readonly isRefused: boolean;
  /** Added to the ordered amount. */
  readonly extraMinor: bigint;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const unknownCode = '7777';
const codes = ['2001', '2028', '8', 'SFC_IC0003', '4'] as const;

/**
 * Most orders are paid within a minute. The others behave like the test numbers, and worse: the rail contradicts
 * itself.
 */
export function payoutFateOf(seed: number, stream: string): PayoutFate {
  const dice = new Dice(seed, `rail pays ${stream}`);
  const soonMs = dice.chance(0.25) ? dice.fraction() * 30 : dice.fraction() * minuteMs;
  const laterMs = soonMs + dice.fraction() * (dice.chance(0.6) ? 5 : 240) * minuteMs;
  const paid = (afterMs: number): RailAct => ({ afterMs, does: 'pay', code: '0' });
  const declined = (afterMs: number, code: string = dice.pick(codes)): RailAct => ({
    afterMs,
    does: 'decline',
    code,
  });
  const queued = (afterMs: number): RailAct => ({ afterMs, does: 'queue', code: '' });
  const kind = dice.fraction();
  const fate = (...acts: readonly RailAct[]): PayoutFate => ({
    acts,
    isRefused: kind >= 0.93 && kind < 0.98,
    extraMinor: (kind >= 0.4 && kind < 0.46) || (kind >= 0.88 && kind < 0.9) ? 100n : 0n,
  });
  // A time when people have been asked to look already, and may be about to decide.
  if (dice.chance(0.05)) {
    const lateMs = (48 + dice.fraction() * dice.pick([0.2, 2])) * hourMs;
    return fate(dice.chance(0.7) ? paid(lateMs) : declined(lateMs));
  }
  if (kind < 0.46) return fate(paid(soonMs));
  if (kind < 0.58) return fate(declined(soonMs));
  if (kind < 0.72) return fate(declined(soonMs), paid(laterMs));
  if (kind < 0.77) return fate(queued(soonMs), paid(laterMs));
  if (kind < 0.81) return fate(paid(soonMs), queued(laterMs));
  if (kind < 0.85) return fate(declined(soonMs, unknownCode), paid(laterMs));
  if (kind < 0.88) return fate(declined(soonMs, unknownCode), declined(laterMs));
  if (kind < 0.93) return fate(paid(soonMs), declined(laterMs));
  if (kind < 0.96) return fate();
  if (kind < 0.98) return fate(paid(laterMs));
  return fate();
}
