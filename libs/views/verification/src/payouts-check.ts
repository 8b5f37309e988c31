import { modes } from '#domain/kernel';
import {
  type DestinationsSet,
  type LimitsSet,
  merchantIdOf,
  type PauseEvent,
  pauseEventTypes,
} from '#domain/merchants';
import { type RecordedEvent } from '#domain/event-sourcing';
import { pausesStream, type PayoutEvent, payoutEventTypes } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { claimChangeIn, railNameIn, stepAfter } from '#views/payouts';
import { type ItemEvent } from '#views/transactions';
import { type Differences } from './difference.js';
import { PayoutBatchesCheck } from './payout-batches-check.js';
import { fieldsOf, instantOf, lineOf } from './stored-lines.js';
import {
  compareSmallTable,
  readSmallTable,
  type SmallRow,
  type SmallTable,
  type StoredTable,
} from './table-check.js';

const openPayoutsTable: SmallTable = {
  name: 'open_payouts',
  keyIs: 'stream',
  columns: [
    ...['stream', 'mode', 'channel', 'step'].map((name) => ({ name })),
    { name: 'since', sql: instantOf('since') },
    { name: 'position' },
    { name: 'originator_conversation_id' },
  ],
};
const bounds = [
  'max_minor',
  'max_per_day_minor',
  'automatic_max_minor',
  'automatic_per_day_minor',
] as const;
const payoutTermsTable: SmallTable = {
  name: 'payout_terms',
  keyIs: 'stream',
  columns: [
    { name: 'merchant', sql: `'merchant-' || merchant_id || ' ' || mode` },
    ...bounds.map((name) => ({ name })),
    { name: 'destinations', sql: `array_to_string(destinations, ' ')` },
  ],
};

/** Compares the numbers of completed payouts in the list with those that count as paid. */
const strangePaidNumbers = `
  with expected as (
    select distinct mode, account_no, phone_hmac from transactions
    where type = 'payout' and status = 'completed' and refund_reference is null
  )
  select ${lineOf(['mode', 'account_no', 'phone_hmac', 'e.phone_hmac_expected'])}
  from (select e.*, e.phone_hmac as phone_hmac_expected from expected e) e
  full join paid_numbers p using (mode, account_no, phone_hmac)
  where e.phone_hmac_expected is null or p.ctid is null
  order by 1`;

/**
 * Compares the approvals that count towards a day with the list: one for each payout that is approved and not rejected,
 * with its own amount.
 */
const strangeApprovals = `
  with expected as (
    select stream, merchant_id, mode, requested_minor::text as amount_minor from transactions
    where type = 'payout' and status in ('pending', 'completed', 'failed')
  ), found as (
    select stream, merchant_id, mode, amount_minor::text from payout_approvals
  )
  select ${lineOf(['stream', 'e.amount_minor', 'f.amount_minor'])}
  from expected e full join found f using (stream)
  where (e.merchant_id, e.mode, e.amount_minor) is distinct from (f.merchant_id, f.mode, f.amount_minor)
  order by 1`;

const openRefundsTable: SmallTable = {
  name: 'open_refunds',
  keyIs: 'stream',
  columns: [{ name: 'stream' }, { name: 'since', sql: instantOf('since') }],
};

const pausesTable: SmallTable = {
  name: 'payout_pauses',
  keyIs: 'stream',
  columns: [
    { name: 'of', sql: `merchant_id || ' ' || mode` },
    { name: 'since', sql: instantOf('since') },
  ],
};

type TermsSet = LimitsSet | DestinationsSet;

/**
 * Compares open payouts and their limits with the log, and the paid numbers with the list, which itself is compared
 * with the log. Memory: one entry per payout that is open or was declined, per refund, and per merchant.
 */
export class PayoutsCheck {
  readonly #open = new Map<string, SmallRow>();
  readonly #terms = new Map<string, SmallRow>();
  /** The progress of batches. */
  readonly batches = new PayoutBatchesCheck();
  readonly #pauses = new Map<string, SmallRow>();
  /** The streams of refunds, and those whose claim has not ended. */
  readonly #refunds = new Set<string>();
  readonly #claims = new Map<string, SmallRow>();
  #stored: Readonly<Record<'open' | 'terms' | 'pauses' | 'claims', StoredTable>> | undefined;
  #approvals: readonly (readonly (string | null)[])[] = [];
  #paidNumbers: readonly (readonly (string | null)[])[] = [];

  /** The number of payouts that still need work, including declined ones. */
  get open(): number {
    return this.#open.size;
  }

  observe(event: RecordedEvent<ItemEvent>): void {
    this.#observeClaim(event);
    if (!isPayoutEvent(event)) return;
    this.#observePayout(event);
    this.batches.observePayout(event);
  }

  set({ type, data, stream }: RecordedEvent<TermsSet>): void {
    const key = `${stream} ${data.mode}`;
    const [, ...before] = this.#terms.get(key) ?? [key, ...bounds.map(() => null), null];
    const row =
      type === 'DestinationsSet'
        ? [...before.slice(0, -1), numbersOf(data)]
        : [...limitsOf(data), before.at(-1) ?? null];
    this.#terms.set(key, [key, ...row]);
  }

  paused({ type, stream, data, recordedAt }: RecordedEvent<PauseEvent>): void {
    const whose = stream === pausesStream ? '' : merchantIdOf(stream);
    for (const mode of data.mode === undefined ? modes : [data.mode]) {
      const key = `${whose} ${mode}`;
      if (type === 'PayoutsResumed') this.#pauses.delete(key);
      else if (!this.#pauses.has(key)) this.#pauses.set(key, [key, recordedAt]);
    }
  }

  /** Reads the tables; the walk then continues exactly to the position of this snapshot. */
  async read(snapshot: Queryable): Promise<void> {
    this.#stored = {
      open: await readSmallTable(openPayoutsTable, snapshot),
      terms: await readSmallTable(payoutTermsTable, snapshot),
      pauses: await readSmallTable(pausesTable, snapshot),
      claims: await readSmallTable(openRefundsTable, snapshot),
    };
    const approvals = await snapshot.query<{ line: string }>(strangeApprovals);
    this.#approvals = approvals.map(({ line }) => fieldsOf(line));
    await this.batches.read(snapshot);
    const rows = await snapshot.query<{ line: string }>(strangePaidNumbers);
    this.#paidNumbers = rows.map(({ line }) => fieldsOf(line));
  }

  finish(differences: Differences): void {
    if (!this.#stored) throw new TypeError('the tables of payouts were not read');
    const { open, terms, pauses, claims } = this.#stored;
    compareSmallTable(pausesTable, this.#pauses, pauses, differences);
    compareSmallTable(openRefundsTable, this.#claims, claims, differences);
    for (const [stream, expected, found] of this.#approvals) {
      const where = { table: 'payout_approvals', stream: stream ?? '', field: 'amount_minor' };
      differences.add({ ...where, expected: expected ?? null, found: found ?? null });
    }
    compareSmallTable(openPayoutsTable, this.#open, open, differences);
    compareSmallTable(payoutTermsTable, this.#terms, terms, differences);
    this.batches.finish(differences);
    for (const [mode, account, number, expected] of this.#paidNumbers) {
      const [wanted, found] = expected ? [number ?? '', null] : [null, number ?? ''];
      const where = { table: 'paid_numbers', account: `${mode}:${account}`, field: 'row' };
      differences.add({ ...where, expected: wanted, found });
    }
  }

  #observeClaim(event: RecordedEvent<ItemEvent>): void {
    if (event.type === 'PayoutRequested' && event.data.refund) this.#refunds.add(event.stream);
    const change = claimChangeIn(event, this.#refunds.has(event.stream));
    if (!change) return;
    const { stream, since } = change;
    if (since === undefined) this.#claims.delete(stream);
    else if (!this.#claims.has(stream)) this.#claims.set(stream, [stream, since]);
  }

  #observePayout(event: RecordedEvent<PayoutEvent>): void {
    const { stream, recordedAt: since } = event;
    const step = stepAfter(event);
    const before = this.#open.get(stream);
    const name = railNameIn(event);
    if (name !== undefined && before) {
      const [key, ...columns] = before;
      this.#open.set(stream, [key, ...columns.slice(0, -1), name]);
    }
    if (step === 'same') return;
    const [mode, channel, position] =
      event.type === 'PayoutRequested'
        ? [event.data.mode, event.data.channel, event.position.toString()]
        : [before?.[1] ?? null, before?.[2] ?? null, before?.[5] ?? null];
    const named =
      event.type === 'RailPayoutStarted'
        ? event.data.originatorConversationId
        : (before?.[6] ?? null);
    this.#open.delete(stream);
    if (step !== 'none')
      this.#open.set(stream, [stream, mode, channel, step, since, position, named]);
  }
}

function limitsOf({
  maxMinor,
  maxPerDayMinor,
  automaticMaxMinor,
  automaticPerDayMinor,
}: LimitsSet['data']): (string | null)[] {
  return [maxMinor, maxPerDayMinor, automaticMaxMinor, automaticPerDayMinor].map(
    (bound) => bound?.toString() ?? null,
  );
}

function numbersOf({ destinations }: DestinationsSet['data']): string | null {
  return destinations?.map(({ phoneHmac }) => phoneHmac).join(' ') ?? null;
}

function isPayoutEvent(event: RecordedEvent<ItemEvent>): event is RecordedEvent<PayoutEvent> {
  return event.stream.startsWith('payout-') && event.type in payoutEventTypes;
}

export function isPauseEvent(event: RecordedEvent): event is RecordedEvent<PauseEvent> {
  const isOfOne = event.stream.startsWith('merchant-') || event.stream === pausesStream;
  return isOfOne && event.type in pauseEventTypes;
}

export function isTermsEvent(event: RecordedEvent): event is RecordedEvent<TermsSet> {
  return (
    event.stream.startsWith('merchant-') &&
    (event.type === 'LimitsSet' || event.type === 'DestinationsSet')
  );
}
