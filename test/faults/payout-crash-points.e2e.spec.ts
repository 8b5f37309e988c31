import {
  type Agreement,
  type Child,
  eventually,
  type MerchantClient,
  type Service,
  startService,
} from '#testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectPayoutsAgree, settled } from './agreed.js';
import {
  dieAt,
  firstSince,
  momentsOf,
  type Passing,
  passingsOf,
  sinceListening,
} from './crash-points.js';
import {
  askOnce,
  askUntilAnswered,
  decideOnce,
  decideUntilAnswered,
  funded,
  secondHolder,
} from './payouts.js';
import { RecordsUnderTest } from './records.js';

/** Processes that die at the calls of a payout's way: its request, its approval, its sending, and a query about it. */
type Name = 'request' | 'approve' | 'send' | 'query';
const names = ['request', 'approve', 'send', 'query'] as const;

/** Calls of each that a trace must show from both sides, and at which it dies: those that write, and the rail's. */
const calls: Readonly<Record<Name, readonly string[]>> = {
  request: [
    'eventstore:append PayoutRequested',
    'eventstore:append FundsReserved',
    'eventstore:append PayoutReserved',
  ],
  approve: ['eventstore:append PayoutApproved'],
  send: ['eventstore:append RailPayoutStarted', 'eventstore:append RailPayoutAccepted'],
  query: ['eventstore:append RailConfirmed,WalletPosted'],
};
/** Pays; pays, and its result is lost. */
const phone = { pays: '254712345678', resultLost: '254700000104' } as const;
const trace = { CRASH_AT: 'trace' } as const;

let service: Service;
let records: RecordsUnderTest;
let checker: MerchantClient;
let found: Agreement;
const collections: string[] = [];
const payouts: string[] = [];
const learned = new Map<Name, readonly Passing[]>();
const wrong = new Map<Name, string[]>();

beforeAll(async () => {
  service = await startService({ SIMULATOR_DELAY: '200ms' });
  records = new RecordsUnderTest(service.env['DATABASE_URL'] ?? '');
  checker = await secondHolder(service);
  collections.push(await funded(service));
  // The only workers are those that die.
  await service.kill('worker');
  for (const name of names) {
    learned.set(name, await learn(name));
    wrong.set(name, []);
    for (const at of deathsOf(name))
      await crash(name, at).catch((error: unknown) =>
        wrong.get(name)?.push(`${at.point}#${at.pass}: ${String(error)}`),
      );
  }
  await records.endLeases();
  await service.start('worker');
  found = await settled(service, collections);
}, 600_000);
afterAll(async () => {
  await records.close();
  await service.stop();
}, 240_000);

const urlOf = ({ ports }: Child): string => `http://127.0.0.1:${String(ports.port)}`;
const abandonClaim = (reference: string): Promise<void> => records.abandonClaim(reference);

/** Where it dies: on both sides of the calls that are named, but for those between which nothing can be seen. */
function deathsOf(name: Name): readonly Passing[] {
  const wanted = calls[name].flatMap((call) => [`${call}:before`, `${call}:after`]);
  const at = momentsOf(learned.get(name) ?? []).filter(({ point }) => wanted.includes(point));
  return [...new Map(at.map((passing) => [passing.point, passing])).values()];
}

function next(name: Name): string {
  const reference = `${name}-${payouts.length}`;
  payouts.push(reference);
  return reference;
}

/** A payout as far as the flow begins, by the service's own API, which does not die. */
async function prepared(name: Name): Promise<string> {
  const reference = next(name);
  const of = { makers: [service.merchant], checker, abandonClaim };
  if (name === 'request') return reference;
  const to = name === 'query' ? phone.resultLost : phone.pays;
  await askUntilAnswered(of, { reference, phone: to });
  if (name !== 'approve') await decideUntilAnswered(of, reference, 'approve');
  return reference;
}

/** What makes an API take the step. @returns the answer's status; 0 where there was none */
function drive(name: Name, reference: string, api: Child, key: string): Promise<number> {
  return name === 'request'
    ? askOnce(service.merchant.at(urlOf(api)), { reference, phone: phone.pays }, key)
    : decideOnce(checker.at(urlOf(api)), { reference, verdict: 'approve' }, key);
}

async function learn(name: Name): Promise<readonly Passing[]> {
  const reference = await prepared(name);
  if (name === 'request' || name === 'approve') {
    const api = await service.startReplica('api', trace);
    expect(await drive(name, reference, api, randomUUID())).toBe(202);
    const passed = sinceListening(api);
    if (name === 'request')
      await decideUntilAnswered({ checker, abandonClaim }, reference, 'approve');
    api.signal('SIGTERM');
    await api.ended;
    return passed;
  }
  const worker = await service.startReplica('worker', trace);
  await eventually(
    () => service.merchant.get(`/api/v4/payouts/${reference}`),
    ({ body }) => body['status'] === 'completed',
  );
  // What follows the last append.
  await sleep(300);
  const passed = firstSince(passingsOf(worker), 'postgres:open-payouts-of-step:before', /^$/);
  worker.signal('SIGTERM');
  await worker.ended;
  return passed;
}

async function crash(name: Name, at: Passing): Promise<void> {
  const reference = await prepared(name);
  if (name === 'send' || name === 'query') {
    await dieAt(service, { app: 'worker', at });
    // Its next start meets what it left.
    await records.endLeases();
    return;
  }
  const key = randomUUID();
  await dieAt(service, {
    app: 'api',
    at,
    drive: async ({ up }) => drive(name, reference, await up, key),
  });
  const of = { makers: [service.merchant], checker, abandonClaim };
  if (name === 'request') {
    await askUntilAnswered(of, { reference, phone: phone.pays }, key);
    await decideUntilAnswered(of, reference, 'approve');
  } else await decideUntilAnswered(of, reference, 'approve', key);
}

describe.each(names)('%s', (name) => {
  it('has a crash point on both sides of each call that writes', () => {
    const points = new Set(learned.get(name)?.map(({ point }) => point));
    const wanted = calls[name].flatMap((call) => [`${call}:before`, `${call}:after`]);
    expect(wanted.filter((point) => !points.has(point))).toEqual([]);
  });

  it('dies at each of them, and is answered when it comes again', () => {
    expect(deathsOf(name).length).toBeGreaterThan(0);
    expect(wrong.get(name)).toEqual([]);
  });
});

describe('after all of them', () => {
  it('each payout was sent once at most, and what the rail paid is posted', () => {
    expectPayoutsAgree(found, payouts);
    expect(found.postedTwice).toEqual([]);
    expect(found.postedByEntries).toBe(found.postedByEvents);
    expect(found.postedByBalance).toBe(found.postedByEvents);
  });
});
