import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { isReturned } from '#domain/ledger';
import {
  type PayoutBatch,
  payoutBatchDecider,
  type PayoutBatchEvent,
  payoutBatchKeyOf,
} from '#domain/payouts';
import { Database } from '#infra/postgres';
import { type ItemEvent, type TransactionItem, transactionFrom } from '#views/transactions';
import { viewSchema } from '#views/view-set';
import { createLogger } from '#infra/runtime';
import { openStore } from '../open-store.js';
import { patientPool } from '../database.js';
import { eventually } from './eventually.js';
import { type Service } from './service.js';

/** One merchant's money, by every part of the service and by the rail itself. */
export interface Agreement {
  /** Each collection folded from its stream, by reference. */
  readonly folded: ReadonlyMap<string, TransactionItem>;
  /** The list in pages of the API, by reference; the pages were checked for duplicates. */
  readonly listed: ReadonlyMap<string, Record<string, unknown>>;
  /** The same for payouts, which have their own references. */
  readonly payouts: ReadonlyMap<string, TransactionItem>;
  readonly listedPayouts: ReadonlyMap<string, Record<string, unknown>>;
  /** Payouts whose sending has started: the rail may have them. */
  readonly startedPayouts: ReadonlySet<string>;
  /** Each batch of payouts folded from its stream, by reference. */
  readonly batches: ReadonlyMap<string, PayoutBatch>;
  /** Σ (amount − fee) of the completed collections less Σ (amount + fee) of the completed payouts, from the events. */
  readonly postedByEvents: bigint;
  readonly postedByEntries: bigint;
  readonly postedByBalance: bigint;
  /** Σ (amount + fee) of the open payouts, and the same figure of the balance. */
  readonly reservedByEvents: bigint;
  readonly reservedByBalance: bigint;
  /** Σ of all legs of all accounts: 0. */
  readonly sumOfBalances: bigint;
  /** References with more than one posting to the merchant: none. */
  readonly postedTwice: readonly string[];
  /** Our account references on the rails' statements, a line each. */
  readonly paidAtRail: readonly string[];
  /** Our account reference of each collection, by reference. */
  readonly accountReferences: ReadonlyMap<string, string>;
  readonly pushesAtRail: number;
  /** Orders for payouts that the rail accepted, and those that it paid. */
  readonly ordersAtRail: number;
  readonly paidOutAtRail: number;
}

/**
 * Reads all figures to compare, as of one moment: it reads the log again afterwards, and if the log has moved meanwhile
 * (by a worker's late result), it reads everything again.
 */
export async function agreementOf(service: Service): Promise<Agreement> {
  const { merchantId } = service.merchant.credentials;
  const prefixes = [`collection-demo:${merchantId}:`, `payout-demo:${merchantId}:`];
  let streams = await historiesOf(service, prefixes);
  for (;;) {
    const agreement = await compared(service, streams);
    const again = await historiesOf(service, prefixes);
    if (eventsIn(again) === eventsIn(streams)) return agreement;
    streams = again;
  }
}

type Histories = Map<string, RecordedEvent<ItemEvent>[]>;

const eventsIn = (histories: Histories): number =>
  [...histories.values()].reduce((count, events) => count + events.length, 0);

async function compared(service: Service, streams: Histories): Promise<Agreement> {
  const { accountNo } = service.merchant.credentials;
  const [folded, payouts] = [
    new Map<string, TransactionItem>(),
    new Map<string, TransactionItem>(),
  ];
  const accountReferences = new Map<string, string>();
  const postedTwice: string[] = [];
  const startedPayouts = new Set<string>();
  const batches = new Map<string, PayoutBatch>();
  for (const [stream, events] of streams) {
    const batch = payoutBatchKeyOf(stream);
    if (batch) {
      const history = events as unknown as RecordedEvent<PayoutBatchEvent>[];
      batches.set(batch.reference, fold(payoutBatchDecider, history));
      continue;
    }
    const item = transactionFrom(events);
    const [intent] = events;
    if (events.filter(isPosting).length > 1) postedTwice.push(events[0]?.stream ?? '');
    if (item && intent?.type === 'PayoutRequested') {
      payouts.set(item.reference, item);
      if (events.some(({ type }) => type === 'RailPayoutStarted'))
        startedPayouts.add(item.reference);
    } else if (item && intent?.type === 'CollectionIntentRecorded') {
      folded.set(item.reference, item);
      const { accountReference } = intent.data;
      if (accountReference !== undefined) accountReferences.set(item.reference, accountReference);
    } else throw new Error('no intent first');
  }
  const credits = sumOf(folded, ['completed'], (item) => item.amount_minor - item.fee_minor);
  const outgoing = (item: TransactionItem): bigint => item.amount_minor + item.fee_minor;
  const sums = await ledgerSums(service, accountNo);
  const balance = await answered(service, `/api/v4/accounts/${accountNo}/balance`);
  const rails = await Promise.all(railsOf(service).map(booksOf));
  const total = (of: keyof RailBooks['stats']): number =>
    rails.reduce((sum, { stats }) => sum + stats[of], 0);
  return {
    folded,
    payouts,
    startedPayouts,
    batches,
    listed: await listedItems(service, 'collection'),
    listedPayouts: await listedItems(service, 'payout'),
    postedByEvents: credits - sumOf(payouts, ['completed'], outgoing),
    postedByEntries: sums.entries,
    postedByBalance: BigInt(String(balance.body['posted_minor'])),
    reservedByEvents: sumOf(payouts, ['pending_approval', 'pending'], outgoing),
    reservedByBalance: BigInt(String(balance.body['reserved_minor'])),
    sumOfBalances: sums.balances,
    postedTwice,
    paidAtRail: rails.flatMap(({ paid }) => paid),
    accountReferences,
    pushesAtRail: total('pushes'),
    ordersAtRail: total('payouts'),
    paidOutAtRail: total('paid_out'),
  };
}

function sumOf(
  items: ReadonlyMap<string, TransactionItem>,
  statuses: readonly TransactionItem['status'][],
  minorOf: (item: TransactionItem) => bigint,
): bigint {
  return [...items.values()]
    .filter(({ status }) => statuses.includes(status))
    .reduce((sum, item) => sum + minorOf(item), 0n);
}

/** True for WalletPosted, and for SuspenseResolved to the merchant: a reference has at most one of them. */
function isPosting(event: ItemEvent): boolean {
  if (event.type === 'SuspenseResolved') return !isReturned(event.data.legs);
  return event.type === 'WalletPosted';
}

async function historiesOf(service: Service, prefixes: readonly string[]): Promise<Histories> {
  const store = openStore(service.env['EVENTSTORE_URL']);
  const streams: Histories = new Map();
  try {
    for await (const event of store.readAll('start', prefixes)) {
      const events = streams.get(event.stream) ?? [];
      events.push(event as RecordedEvent<ItemEvent>);
      streams.set(event.stream, events);
    }
  } finally {
    await store.dispose();
  }
  return streams;
}

/** While a projector that was just started catches up, the views may be too old to be answered from. */
function answered(service: Service, path: string): ReturnType<Service['merchant']['get']> {
  return eventually(
    () => service.merchant.get(path),
    ({ status }) => status === 200,
  );
}

async function listedItems(
  service: Service,
  type: 'collection' | 'payout',
): Promise<Map<string, Record<string, unknown>>> {
  const items = new Map<string, Record<string, unknown>>();
  let cursor: unknown = '';
  do {
    const after = cursor === '' ? '' : `&cursor=${String(cursor)}`;
    const path = `/api/v4/transactions?type=${type}&limit=100${after}`;
    const { body } = await answered(service, path);
    for (const item of body['data'] as Record<string, unknown>[]) {
      const reference = String(item['reference']);
      if (items.has(reference)) throw new Error(`${reference} was listed twice`);
      items.set(reference, item);
    }
    cursor = body['next_cursor'];
  } while (cursor !== null);
  return items;
}

async function ledgerSums(
  service: Service,
  accountNo: string,
): Promise<{ entries: bigint; balances: bigint }> {
  const database = new Database({
    ...patientPool,
    url: service.env['DATABASE_DIRECT_URL'] ?? service.env['DATABASE_URL'] ?? '',
    app: 'tests',
    logger: createLogger({ app: 'tests', level: 'fatal' }),
    searchPath: [viewSchema()],
    poolSize: 1,
  });
  try {
    const [row] = await database.query<{ entries: string; balances: string }>(
      `select
         (select coalesce(sum(amount_minor), 0)::text from ledger_entries
           where account = 'wallet:' || $1) as entries,
         (select coalesce(sum(credits_minor - debits_minor), 0)::text from balances) as balances`,
      [accountNo],
    );
    return { entries: BigInt(row?.entries ?? '0'), balances: BigInt(row?.balances ?? '0') };
  } finally {
    await database.close();
  }
}

/** The last column, A/C No., of every line with money paid in. */
function statementReferences(csv: string): string[] {
  return (
    csv
      .split(/\r?\n/)
      .slice(1)
      .filter((line) => line !== '')
      .map((line) => line.slice(line.lastIndexOf(',') + 1).replaceAll('"', ''))
      // Payouts have none.
      .filter((code) => code !== '')
  );
}

/** One rail's own account of what it took and paid. */
interface RailBooks {
  readonly stats: { readonly pushes: number; readonly payouts: number; readonly paid_out: number };
  /** Our account references on its statement. */
  readonly paid: readonly string[];
}

interface RailProcess {
  readonly url: string;
  readonly referencesIn: (csv: string) => readonly string[];
}

/** Returns the rails' simulators: M-Pesa's, and Airtel's if the service has it. */
function railsOf({ simulatorUrl, env }: Service): readonly RailProcess[] {
  const airtelUrl = env['RAIL_AIRTEL_DEMO_URL'];
  const mpesa = { url: simulatorUrl, referencesIn: statementReferences };
  return airtelUrl === undefined
    ? [mpesa]
    : [mpesa, { url: airtelUrl, referencesIn: airtelReferences }];
}

async function booksOf({ url, referencesIn }: RailProcess): Promise<RailBooks> {
  const [stats, csv] = await Promise.all(
    ['/_stats', '/_statement.csv'].map(async (path) => (await fetch(url + path)).text()),
  );
  return {
    stats: JSON.parse(stats ?? '{}') as RailBooks['stats'],
    paid: referencesIn(csv ?? ''),
  };
}

/** Airtel knows a collection by our account reference: the second column of its lines of payments. */
function airtelReferences(csv: string): string[] {
  return csv
    .split(/\r?\n/)
    .map((line) => line.split(','))
    .filter((cells) => cells[4] === 'MERCHPAY')
    .map((cells) => cells[1] ?? '');
}
