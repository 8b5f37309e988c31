import { type Mode } from '#domain/kernel';
import { ledgerAccount } from '#domain/ledger';
import { type Item, itemOf } from '../item.js';
import { type DeskAction } from './actions.js';

/** The currency that M-Pesa carries. */
export const railCurrency = 'KES';

/** A payment of a rail's list that is not in the ledger, and the items that may explain it. */
export interface MissedPayment {
  readonly channel: string;
  readonly mode: Mode;
  readonly receipt: string;
  readonly day: string;
  readonly amountMinor: bigint;
  /** The stream of the collection that it is for; null if it is not known. */
  readonly stream: string | null;
  readonly why: 'nobody_asked' | 'not_settled' | 'paid_twice';
  /** The ledger's money for that collection. `another_amount`: it has no receipt, so it may be this payment. */
  readonly holds: 'nothing' | 'another_payment' | 'another_amount';
  /** The streams of collections that may explain it; undefined if that is not known (REC-31). */
  readonly mayBe: readonly string[] | undefined;
}

export type MissedSituation =
  | { readonly code: 'may_be_of'; readonly items: readonly Item[]; readonly receipt: string }
  | {
      readonly code:
        'merchant_held_back' | 'nobody_asked' | 'not_settled' | 'paid_twice' | 'another_amount';
    };

export interface MissedStep {
  readonly situation: MissedSituation;
  readonly action: DeskAction;
}

/**
 * The next step for a payment of the rail's list that is not in the ledger (REC-21). Money that no query settles goes to
 * suspense under its receipt, so that the ledger has it whatever is decided.
 */
export function missedStep(payment: MissedPayment): MissedStep {
  const { stream, channel, mode, receipt, amountMinor, day, mayBe } = payment;
  const code = situationNow(payment);
  if (code === 'nobody_asked' && (mayBe === undefined || mayBe.length > 0))
    return mayBeOf(receipt, mayBe ?? []);
  const situation = { code };
  const reason = `asked the rail about ${day}`;
  const item = stream === null ? undefined : itemOf(stream);
  const named = item && { type: item.type, ...item.key };
  // The time is left out, because the time zone of the list is not certain (REC-22).
  if (named && code === 'not_settled')
    return {
      situation,
      action: { do: 'open_review', item: named, payment: { receipt, amountMinor }, reason },
    };
  if (named && code === 'another_amount')
    return { situation, action: { do: 'read_history', item: named } };
  const legs = [
    { account: ledgerAccount.suspense, amountMinor },
    { account: ledgerAccount.railClearing(channel), amountMinor: -amountMinor },
  ];
  return {
    situation,
    action: {
      do: 'propose_correction',
      merchantId: named?.merchantId,
      mode,
      currency: railCurrency,
      movement: { legs, ...(named && stream !== null ? { corrects: stream } : {}), receipt },
      reason,
    },
  };
}

/**
 * A step without a posting: with the money in suspense, a query that settles the collection would post it a second time
 * (REC-31).
 */
function mayBeOf(receipt: string, mayBe: readonly string[]): MissedStep {
  const items = mayBe.flatMap((stream) => itemOf(stream) ?? []);
  const [first] = items;
  if (!first) return { situation: { code: 'merchant_held_back' }, action: { do: 'read_status' } };
  return {
    situation: { code: 'may_be_of', items, receipt },
    action: { do: 'read_history', item: { type: first.type, ...first.key } },
  };
}

/** The situation as it is now: the collection may have been settled since the rail reported the payment. */
function situationNow({ why, holds }: MissedPayment): MissedPayment['why'] | 'another_amount' {
  if (holds === 'nothing') return why;
  return holds === 'another_amount' ? 'another_amount' : 'paid_twice';
}
