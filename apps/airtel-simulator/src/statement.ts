import { type Minor, parseMinor } from '#domain/kernel';
import { csvRow, shillingsFromMinor } from '#shared/simulator';
import type { Memory } from './memory.js';
import { nairobiTime } from './nairobi-time.js';
import type { Transaction } from './transactions.js';
import type { Refund, Sweep } from './withdrawals.js';

/** Airtel publishes no format of its export: these columns are ours (REC-38). */
const columns = [
  'Transaction ID',
  'External ID',
  'Reference',
  'Date',
  'Service Type',
  'Status',
  'Other Party',
  'Credit',
  'Debit',
  'Balance',
  'Linked Transaction ID',
];

/** Rows are sent in groups of this size: large enough to be quick, small enough to free the event loop often. */
const rowsAtOnce = 500;

/** A line before its balance is known. */
interface Entry {
  readonly moneyId: string;
  readonly atMs: number;
  /** The amount that came in, or that went out as a negative amount; zero if no money moved. */
  readonly movedMinor: Minor;
  /** Collections and payouts have a wallet each. */
  readonly wallet: 'collections' | 'payouts';
  readonly externalId: string;
  readonly reference: string;
  readonly service: 'MERCHPAY' | 'B2C' | 'REFUND' | 'SETTLEMENT';
  readonly party: string;
  readonly linked: string;
}

/** Returns the statement as text (RFC 4180), newest first, in parts. */
export function* statement(memory: Memory): Generator<string> {
  const { collections, payouts, withdrawals } = memory;
  const entries = [
    ...[...collections.paid.values()].map(entryOfPayment),
    ...[...payouts.accepted.values()].flatMap(entryOfPayout),
    ...[...withdrawals.refunds.values()].map(entryOfRefund),
    ...withdrawals.sweeps.map(entryOfSweep),
  ];
  const newestFirst = entries.toSorted(byTime).reverse();
  const balances = { collections: memory.collectedMinor, payouts: memory.payableMinor };
  let text = csvRow(columns);
  for (const [number, entry] of newestFirst.entries()) {
    text += csvRow(cellsOf(entry, balances[entry.wallet]));
    balances[entry.wallet] -= entry.movedMinor;
    if (number % rowsAtOnce === rowsAtOnce - 1) {
      yield text;
      text = '';
    }
  }
  yield text;
}

function cellsOf(entry: Entry, balanceMinor: Minor): readonly string[] {
  const { moneyId, externalId, reference, atMs, service, movedMinor, party, linked } = entry;
  return [
    moneyId,
    externalId,
    reference,
    nairobiTime(atMs),
    service,
    movedMinor === 0n ? 'TF' : 'TS',
    party,
    movedMinor > 0n ? shillingsFromMinor(movedMinor) : '',
    movedMinor < 0n ? shillingsFromMinor(-movedMinor) : '',
    shillingsFromMinor(balanceMinor),
    linked,
  ];
}

/** Lines of the same millisecond are in the order of their ids, so that a restart changes no byte of the statement. */
function byTime(left: Entry, right: Entry): number {
  if (left.atMs !== right.atMs) return left.atMs - right.atMs;
  return left.moneyId < right.moneyId ? -1 : 1;
}

function entryOfPayment({ order, paidAtMs = 0 }: Transaction<string>): Entry {
  return {
    moneyId: order.moneyId,
    atMs: paidAtMs,
    movedMinor: parseMinor(order.amountMinor),
    wallet: 'collections',
    externalId: order.id,
    reference: order.reference,
    service: 'MERCHPAY',
    party: masked(order.msisdn),
    linked: '',
  };
}

/** A payout that failed is listed too; one that is open is not. */
function entryOfPayout({ order, standing, paidAtMs }: Transaction<string>): readonly Entry[] {
  if (paidAtMs === undefined && standing.status !== 'TF') return [];
  return [
    {
      moneyId: order.moneyId,
      atMs: paidAtMs ?? standing.atMs,
      movedMinor: paidAtMs === undefined ? 0n : -parseMinor(order.amountMinor),
      wallet: 'payouts',
      externalId: order.id,
      reference: order.reference,
      service: 'B2C',
      party: masked(order.msisdn),
      linked: '',
    },
  ];
}

function entryOfRefund({ moneyId, paidMoneyId, msisdn, amountMinor, atMs }: Refund): Entry {
  return {
    moneyId,
    atMs,
    movedMinor: -parseMinor(amountMinor),
    wallet: 'collections',
    externalId: '',
    reference: '',
    service: 'REFUND',
    party: masked(msisdn),
    linked: paidMoneyId,
  };
}

function entryOfSweep({ moneyId, atMs, amountMinor }: Sweep): Entry {
  return {
    moneyId,
    atMs,
    movedMinor: -parseMinor(amountMinor),
    wallet: 'collections',
    externalId: '',
    reference: '',
    service: 'SETTLEMENT',
    party: '',
    linked: '',
  };
}

function masked(msisdn: string): string {
  return `${msisdn.slice(0, 3)}***${msisdn.slice(-3)}`;
}
