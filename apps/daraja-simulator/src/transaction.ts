import { type Minor, parseMinor } from '#domain/kernel';
import type { Memory } from './memory.js';
import type { PaidLine } from './payment.js';
import type { PayoutState } from './payout.js';
import { customerName, organizationName } from './result.js';
import type { ReversalState } from './reversal.js';
import type { Settings } from './settings.js';
import type { Reversed } from './withdrawals.js';

/** A movement of money, or the attempt of one, as a status query reports it. */
export interface Transaction {
  readonly receipt: string;
  /** Its ids, if it began with a request to Daraja that has a result. */
  readonly ids?: { readonly originatorConversationId: string; readonly conversationId: string };
  readonly debitParty: string;
  readonly creditParty: string;
  readonly amountMinor: Minor;
  readonly begunAtMs: number;
  readonly status: 'Pending' | 'Completed' | 'Failed';
  /** The time of the status; undefined while it is in progress. */
  readonly endedAtMs: number | undefined;
}

type Shortcodes = Pick<Settings, 'shortcode' | 'b2cShortcode'>;

/** Returns the payout or reversal with that id. Each has an OriginatorConversationID and a ConversationID. */
export function transactionById(
  id: string,
  { payouts, withdrawals }: Memory,
  shortcodes: Shortcodes,
): Transaction | undefined {
  const payout = payouts.accepted.get(id);
  if (payout) return ofPayout(payout, shortcodes);
  const reversal =
    withdrawals.reversals.get(id) ??
    withdrawals.reversals.values().find(({ reversal }) => reversal.conversationId === id);
  return reversal && ofReversal(reversal, shortcodes);
}

/** Returns the transaction with that receipt: a payment, a payout, or a reversal. */
export function transactionByReceipt(
  receipt: string,
  { paid, payouts, withdrawals }: Memory,
  shortcodes: Shortcodes,
): Transaction | undefined {
  const payment = paid.get(receipt);
  if (payment) return ofPayment(payment, shortcodes);
  const payout = payouts.accepted.values().find((one) => one.payout.transactionId === receipt);
  if (payout) return ofPayout(payout, shortcodes);
  const { reversals, reversed } = withdrawals;
  const reversal = reversals.values().find((one) => one.reversal.transactionId === receipt);
  if (reversal) return ofReversal(reversal, shortcodes);
  const byHand = reversed.values().find((one) => one.receipt === receipt);
  return byHand && ofReversed(byHand, shortcodes);
}

function ofPayment(
  { receipt, phone, amountMinor, begunAtMs, paidAtMs }: PaidLine,
  { shortcode }: Shortcodes,
): Transaction {
  return {
    receipt,
    debitParty: customerName(phone),
    creditParty: organizationName(shortcode),
    amountMinor,
    begunAtMs,
    status: 'Completed',
    endedAtMs: paidAtMs,
  };
}

function ofPayout({ payout, settled }: PayoutState, { b2cShortcode }: Shortcodes): Transaction {
  return {
    receipt: payout.transactionId,
    ids: payout,
    debitParty: organizationName(b2cShortcode),
    creditParty: customerName(payout.phone),
    amountMinor: parseMinor(payout.amountMinor),
    begunAtMs: payout.acceptedAtMs,
    status: statusOf(settled?.result),
    endedAtMs: settled?.atMs,
  };
}

function ofReversal({ reversal, settled }: ReversalState, { shortcode }: Shortcodes): Transaction {
  return {
    receipt: reversal.transactionId,
    ids: reversal,
    debitParty: organizationName(shortcode),
    creditParty: customerName(reversal.payment?.phone ?? ''),
    amountMinor: parseMinor(reversal.amountMinor),
    begunAtMs: reversal.acceptedAtMs,
    status: statusOf(settled?.result),
    endedAtMs: settled?.atMs,
  };
}

function ofReversed(
  { receipt, phone, amountMinor, begunAtMs, atMs }: Reversed,
  { shortcode }: Shortcodes,
): Transaction {
  return {
    receipt,
    debitParty: organizationName(shortcode),
    creditParty: customerName(phone),
    amountMinor: parseMinor(amountMinor),
    begunAtMs,
    status: 'Completed',
    endedAtMs: atMs,
  };
}

function statusOf(result: number | string | undefined): Transaction['status'] {
  if (result === undefined) return 'Pending';
  return result === 0 ? 'Completed' : 'Failed';
}
