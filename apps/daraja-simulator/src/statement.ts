import { type Minor, parseMinor } from '#domain/kernel';
import { csvRow, shillingsFromMinor } from '#shared/simulator';
import { portalTime } from './east-africa-time.js';
import type { Memory } from './memory.js';
import type { PaidLine } from './payment.js';
import type { PayoutState } from './payout.js';
import type { Reversed, Sweep } from './withdrawals.js';

/** The columns of the M-Pesa organisation portal's export. */
const columns = [
  'Receipt No.',
  'Completion Time',
  'Initiation Time',
  'Details',
  'Transaction Status',
  'Paid In',
  'Withdrawn',
  'Balance',
  'Balance Confirmed',
  'Reason Type',
  'Other Party Info',
  'Linked Transaction ID',
  'A/C No.',
];

/** Rows are sent in groups of this size: large enough to be quick, small enough to free the event loop often. */
const rowsAtOnce = 500;

/** A movement's place in the order of all. */
export interface Moment {
  readonly receipt: string;
  readonly atMs: number;
}

/** A line before its balance is known. */
interface Entry extends Moment {
  /** The amount that came in, or that went out as a negative amount; zero if the payment did not happen. */
  readonly movedMinor: Minor;
  /** Collections and payouts have a balance each, as a pay bill and a B2C account do. */
  readonly account: 'collections' | 'payouts';
  readonly cells: (balance: string) => readonly string[];
}

/**
 * Returns the statement as text (RFC 4180), newest first, in parts. The balance of collections begins at zero with the
 * first payment, and the balance of payouts at the float.
 */
export function* statement(memory: Memory): Generator<string> {
  const entries = [
    ...memory.paid.values().map(entryOfPayment),
    ...[...memory.payouts.accepted.values()].flatMap(entryOfPayout),
    ...[...memory.withdrawals.reversed.values()].map(entryOfReversal),
    ...memory.withdrawals.sweeps.map(entryOfSweep),
  ];
  const newestFirst = entries.toSorted(byTime).reverse();
  const balances = { collections: memory.workingMinor, payouts: memory.utilityMinor };
  let text = csvRow(columns);
  for (const [number, { account, movedMinor, cells }] of newestFirst.entries()) {
    text += csvRow(cells(shillingsFromMinor(balances[account])));
    balances[account] -= movedMinor;
    if (number % rowsAtOnce === rowsAtOnce - 1) {
      yield text;
      text = '';
    }
  }
  yield text;
}

/**
 * Orders movements from the oldest to the newest. Those of the same millisecond are in the order of their receipts, so
 * that a restart changes no byte of the statement.
 */
export function byTime(left: Moment, right: Moment): number {
  if (left.atMs !== right.atMs) return left.atMs - right.atMs;
  return left.receipt < right.receipt ? -1 : 1;
}

function entryOfPayment({
  receipt,
  paidAtMs,
  begunAtMs,
  amountMinor: movedMinor,
  phone,
  way,
  account,
}: PaidLine): Entry {
  const isPayBill = way === 'pay_bill';
  const party = partyOf(phone);
  const cells = (balance: string): readonly string[] => [
    receipt,
    portalTime(paidAtMs),
    portalTime(begunAtMs),
    isPayBill
      ? `Pay Bill Online from ${party} Acc. ${account}`
      : `Merchant Payment Online from ${party}`,
    'Completed',
    shillingsFromMinor(movedMinor),
    '',
    balance,
    'true',
    isPayBill ? 'Pay Bill Online' : 'Merchant Payment Online',
    party,
    '',
    account,
  ];
  return { receipt, atMs: paidAtMs, movedMinor, account: 'collections', cells };
}

/** A payout that the rail refused is listed too; one in progress is not. The portal writes a minus. */
function entryOfPayout({ payout, settled }: PayoutState): readonly Entry[] {
  if (!settled) return [];
  const { result, atMs } = settled;
  const party = partyOf(payout.phone);
  const amountMinor = parseMinor(payout.amountMinor);
  const cells = (balance: string): readonly string[] => [
    payout.transactionId,
    portalTime(atMs),
    portalTime(payout.acceptedAtMs),
    `Business Payment to ${party}`,
    result === 0 ? 'Completed' : 'Declined',
    '',
    `-${shillingsFromMinor(amountMinor)}`,
    balance,
    'true',
    'Business Payment to Customer via API',
    party,
    '',
    '',
  ];
  const movedMinor = result === 0 ? -amountMinor : 0n;
  return [{ receipt: payout.transactionId, atMs, movedMinor, account: 'payouts', cells }];
}

/** A payment that went back to its customer. The line names the payment's receipt. */
function entryOfReversal(reversed: Reversed): Entry {
  const { receipt, paidReceipt, begunAtMs, atMs } = reversed;
  const party = partyOf(reversed.phone);
  const amountMinor = parseMinor(reversed.amountMinor);
  const cells = (balance: string): readonly string[] => [
    receipt,
    portalTime(atMs),
    portalTime(begunAtMs),
    `Transaction Reversal of ${paidReceipt} to ${party}`,
    'Completed',
    '',
    `-${shillingsFromMinor(amountMinor)}`,
    balance,
    'true',
    'Transaction Reversal',
    party,
    paidReceipt,
    '',
  ];
  return { receipt, atMs, movedMinor: -amountMinor, account: 'collections', cells };
}

/** Money that went to the bank. */
function entryOfSweep({ receipt, atMs, amountMinor }: Sweep): Entry {
  const cells = (balance: string): readonly string[] => [
    receipt,
    portalTime(atMs),
    portalTime(atMs),
    'Merchant Account to Organization Settlement Account',
    'Completed',
    '',
    `-${shillingsFromMinor(parseMinor(amountMinor))}`,
    balance,
    'true',
    'Merchant to Organization Settlement',
    '',
    '',
    '',
  ];
  return { receipt, atMs, movedMinor: -parseMinor(amountMinor), account: 'collections', cells };
}

function partyOf(phone: string): string {
  return `${phone.slice(0, 4)}*****${phone.slice(-3)} - TEST CUSTOMER`;
}
