import { type RecordedEvent } from '#domain/event-sourcing';
import { isBalanced, type Leg } from '#domain/ledger';
import { Database } from '#infra/postgres';
import { viewSchema } from '#views/view-set';
import { createLogger } from '#infra/runtime';
import {
  agreementOf,
  eventually,
  liveAndRebuilt,
  type MerchantClient,
  openStore,
  type OwnServers,
  patientPool,
  type Service,
  startOwnServers,
  startService,
  secondHolder,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectPayoutsAgree } from '../faults/agreed.js';
import { airtelPayoutPhones, payOut, payoutPhones } from '../faults/payouts.js';
import { AirtelProcess, railOf } from '../rail/airtel-process.js';

/** The design's invariants about reading, checked during and after real load; the numbers are the design's. */
// A log of its own: a rebuild ends at the position of the live views, whatever other specs write.
let servers: OwnServers;
let service: Service;
let airtel: AirtelProcess;
let payouts: readonly string[] = [];
const pages: string[][][] = [];
const visibleAtFirstPage: string[][] = [];

beforeAll(async () => {
  servers = await startOwnServers();
  airtel = await AirtelProcess.begin();
  service = await startService({ ...servers.env, ...(await airtel.settings()) });
  await airtel.enableFor(service);
  const checker = await secondHolder(service);
  const writing = write(checker);
  const state = { done: false };
  void writing.finally(() => (state.done = true));
  while (!state.done) await readAllPages();
  await writing;
  await eventually(
    async () => {
      const { folded, listed, ...found } = await agreementOf(service);
      if (found.reservedByEvents !== 0n || found.postedByEvents !== found.postedByBalance)
        return ['payouts'];
      return [...folded].filter(
        ([reference, { status, rail_reference }]) =>
          (status === 'pending' && rail_reference !== null && !isHeld(reference)) ||
          listed.get(reference)?.['status'] !== status,
      );
    },
    (open) => open.length === 0,
    { withinMs: 30_000, everyMs: 300 },
  );
});
afterAll(async () => {
  await service.stop();
  await airtel.stop();
  await servers.stop();
});

const phones = [
  ...['254712345678', '254700000002', '254700000008', '254700000010', '254700000007'],
  // Over Airtel: pays, pays without a callback, pays although its callback denies it, and fails.
  ...['254733000001', '254733000012', '254733000015', '254733000003'],
];
const isHeld = (reference: string): boolean =>
  Number(reference.split('-')[1]) % phones.length === 3;

const payingMs = 4_000;

async function write(checker: MerchantClient): Promise<void> {
  const total = 300;
  const clients = 6;
  const loop = async (client: number): Promise<void> => {
    for (let number = client; number < total; number += clients)
      await service.merchant.collect({
        reference: `L-${number}`,
        phone: phones[number % phones.length] ?? '',
        channel: railOf(phones[number % phones.length] ?? ''),
      });
  };
  // Paid out of the money that has come in by then.
  const makers = [service.merchant];
  const paying = payOut({
    name: 'L',
    endMs: performance.now() + payingMs,
    makers,
    checker,
    phones: [...payoutPhones, ...airtelPayoutPhones],
  });
  await Promise.all(Array.from({ length: clients }, (_, client) => loop(client)));
  payouts = await paying;
}

/** Pages through the whole list, three items at a time, as a dashboard does while money comes in. */
async function readAllPages(): Promise<void> {
  const run: string[][] = [];
  let cursor = '';
  const first = await service.merchant.get('/api/v4/transactions?limit=100');
  visibleAtFirstPage.push(referencesOf(first.body));
  do {
    const { body } = await service.merchant.get(`/api/v4/transactions?limit=13${cursor}`);
    run.push(referencesOf(body));
    const next = body['next_cursor'] as string | null;
    cursor = next === null ? '' : `&cursor=${next}`;
  } while (cursor !== '');
  pages.push(run);
}

const referencesOf = (body: Record<string, unknown>): string[] =>
  (body['data'] as { reference: string }[]).map(({ reference }) => reference);

async function readEvents(): Promise<RecordedEvent[]> {
  const store = openStore(service.env['EVENTSTORE_URL']);
  try {
    const events: RecordedEvent[] = [];
    const { merchantId } = service.merchant.credentials;
    const prefixes = [`collection-demo:${merchantId}:`, `payout-demo:${merchantId}:`];
    for await (const event of store.readAll('start', prefixes)) events.push(event);
    return events;
  } finally {
    await store.dispose();
  }
}

const legsOf = ({ data }: RecordedEvent): readonly Leg[] =>
  'legs' in data ? (data.legs as readonly Leg[]) : [];

function views(schema: string): Database {
  const logger = createLogger({ app: 'spec', level: 'fatal' });
  const url = service.env['DATABASE_URL'] ?? '';
  return new Database({
    ...patientPool,
    url,
    app: 'spec',
    logger,
    searchPath: [schema],
    poolSize: 8,
  });
}

describe('invariant 1', () => {
  it('each reference has one posting at most and was pushed once', async () => {
    const { postedTwice, pushesAtRail, folded } = await agreementOf(service);
    // The first one over Airtel was before the load.
    expect(folded.size).toBe(301);
    expect(postedTwice).toEqual([]);
    expect(pushesAtRail).toBe(301);
  });
});

describe('payouts', () => {
  it('the rail’s payments match the postings, nothing stays reserved, and the balance is the sum', async () => {
    const found = await agreementOf(service);
    expectPayoutsAgree(found, payouts);
    expect(found.postedByEntries).toBe(found.postedByEvents);
    expect(found.postedByBalance).toBe(found.postedByEvents);
    expect(found.sumOfBalances).toBe(0n);
  });
});

describe('invariants 2 and 3', () => {
  it('legs sum to zero, and entries are the fold of the events at any position', async () => {
    const events = await readEvents();
    const postings = events.filter((event) => legsOf(event).length > 0);
    expect(postings.length).toBeGreaterThan(100);
    expect(postings.every((event) => isBalanced(legsOf(event)))).toBe(true);
    const wallet = `wallet:${service.merchant.credentials.accountNo}`;
    const database = views(viewSchema());
    try {
      let folded = 0n;
      for (const [index, event] of postings.entries()) {
        for (const leg of legsOf(event)) if (leg.account === wallet) folded += leg.amountMinor;
        if (index % 17 !== 0) continue;
        const [row] = await database.query<{ sum: string }>(
          `select coalesce(sum(amount_minor), 0)::text as sum from ledger_entries
            where account = $1 and position <= $2`,
          [wallet, event.position],
        );
        expect(row?.sum).toBe(folded.toString());
      }
    } finally {
      await database.close();
    }
  });
});

describe('invariant 4', () => {
  it('paging during writes shows each item visible at the first page exactly once', () => {
    expect(pages.length).toBeGreaterThan(2);
    for (const [index, run] of pages.entries()) {
      const seen = run.flat();
      expect(new Set(seen).size).toBe(seen.length);
      const missed = visibleAtFirstPage[index]?.filter((reference) => !seen.includes(reference));
      expect(missed).toEqual([]);
    }
  });
});

describe('invariant 5', () => {
  it('a rebuild gives the same tables as the live projection, byte for byte', async () => {
    for (const { table, live, rebuilt } of await liveAndRebuilt(service))
      expect({ table, rows: rebuilt }).toEqual({ table, rows: live });
  });
});
