import {
  type Agreement,
  agreementOf,
  eventually,
  freePort,
  liveAndRebuilt,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAgreement, isPaid, settled } from './agreed.js';
import { AirtelProcess } from '../rail/airtel-process.js';
import {
  AirtelCreateFlow,
  AirtelQueryFlow,
  CallbackFlow,
  type CrashFlow,
  CreateFlow,
  InboxFlow,
  ProjectionFlow,
  QueryFlow,
} from './crash-flows.js';
import { CompletionFlow, ConfirmationFlow, CorrectedAccount } from './correction-flows.js';
import { momentsOf, momentsOfTransactions, type Passing } from './crash-points.js';
import { RecordsUnderTest } from './records.js';
import { WebhookEndpoint, WebhookFlow } from './webhook-flow.js';

const names = [
  ...(['confirmation', 'completion'] as const),
  ...(['create', 'callback', 'inbox', 'query', 'webhook', 'projection'] as const),
  ...(['airtel-create', 'airtel-query'] as const),
] as const;
type Name = (typeof names)[number];

/** Calls of each flow that a trace must contain, before and after: a lost hook fails here. */
const calls: Readonly<Record<Name, readonly string[]>> = {
  confirmation: [
    ...['eventstore:readStream', 'postgres:credits-of-wallet'],
    ...['eventstore:append FundsReserved', 'eventstore:append CorrectionPosted'],
  ],
  completion: [
    ...['postgres:reservations-left', 'eventstore:readStream'],
    'eventstore:append CorrectionPosted',
  ],
  create: [
    ...['redis:pesapostAdmit', 'redis:pesapostClaim', 'postgres:claims-insert'],
    ...['eventstore:append CollectionIntentRecorded', 'redis:get', 'redis:set-if-absent'],
    ...['rail:token', 'redis:set', 'rail:push', 'eventstore:append RailPushAccepted'],
  ],
  callback: [
    ...['postgres:sealed-messages-insert', 'eventstore:readStream'],
    'eventstore:append RailConfirmed,WalletPosted',
  ],
  inbox: [
    ...['postgres:inbox-lease', 'postgres:sealed-messages-insert', 'eventstore:readStream'],
    ...['rail:query', 'postgres:confirmed-checkout-claim'],
    'eventstore:append RailPushAccepted,RailConfirmed,WalletPosted',
    'postgres:update records.callback_inbox',
  ],
  query: [
    ...['postgres:rail-queries-due', 'postgres:insert records.rail_query_attempts', 'rail:query'],
    ...['postgres:sealed-messages-insert', 'postgres:confirmed-checkout-claim'],
    ...['eventstore:append RailConfirmed,WalletPosted'],
    'postgres:update records.rail_query_attempts',
  ],
  'airtel-create': ['rail:airtel-token', 'rail:airtel-push', 'eventstore:append RailPushAccepted'],
  'airtel-query': [
    ...['postgres:insert records.rail_query_attempts', 'rail:airtel-enquiry'],
    ...['postgres:confirmed-checkout-claim', 'eventstore:append RailConfirmed,WalletPosted'],
  ],
  webhook: ['postgres:webhooks-lease', 'webhook:send', 'postgres:webhooks-record'],
  projection: [
    ...['postgres:lease-acquire', 'postgres:select checkpoint', 'eventstore:subscribe'],
    ...['postgres:begin', 'postgres:lease-holds', 'postgres:checkpoint-advance'],
    ...['postgres:commit', 'eventstore:head'],
  ],
};

/** Flows that die only at the named calls: the calls before and after them are those of the same flow over M-Pesa. */
const diesAtItsOwn: ReadonlySet<Name> = new Set(['airtel-create', 'airtel-query']);

/** The result of a flow: its points, and those at which something other than the death and its consequences happened. */
interface Run {
  readonly learned: readonly Passing[];
  readonly wrong: readonly string[];
}

// A log of its own: a rebuild ends at the position of the live views, whatever other specs write.
let servers: OwnServers;
let service: Service;
let airtel: AirtelProcess;
let redis: Redis;
let records: RecordsUnderTest;
const flows = new Map<Name, CrashFlow>();
const runs = new Map<Name, Run>();
let found: Agreement;
let corrected: CorrectedAccount;
let endpoint: WebhookEndpoint;

beforeAll(async () => {
  // The push's answer is recorded before its callback comes, even if the machine is busy.
  servers = await startOwnServers();
  airtel = await AirtelProcess.begin('200ms');
  service = await startService({
    ...servers.env,
    // Without payouts, since only the first worker would pass the points of a question for the float.
    ...airtel.collecting(),
    SIMULATOR_DELAY: '200ms',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    // The rail is asked what it took once a day, so only the first worker would pass those points.
    RAIL_MPESA_DEMO_PULL: 'off',
  });
  records = new RecordsUnderTest(service.env['DATABASE_URL'] ?? '');
  const own = new URL(service.env['REDIS_URL'] ?? '');
  own.pathname = '/14';
  redis = new Redis(own.href);
  const edgePort = await freePort();
  const creator = await service.startReplica('api', { BASE_URL: `http://127.0.0.1:${edgePort}` });
  await airtel.enableFor(service);
  const ownRedis = { url: own.href, flush: () => redis.flushdb() };
  flows.set('create', new CreateFlow(service, records, ownRedis));
  flows.set('airtel-create', new AirtelCreateFlow(service, records, ownRedis));
  flows.set('airtel-query', new AirtelQueryFlow(service, records));
  flows.set('callback', new CallbackFlow(service, records, { creator, edgePort }));
  flows.set('inbox', new InboxFlow(service, records));
  flows.set('query', new QueryFlow(service, records));
  flows.set('projection', new ProjectionFlow(service, records));
  // Only workers that die run.
  await service.kill('worker');

  await correctionsDie();
  // One after the other, so that each trace shows only one collection.
  const learned = new Map<Name, readonly Passing[]>();
  for (const name of ['create', 'callback', 'inbox', 'query'] as const)
    learned.set(name, await flowOf(name).learn());
  // It has a Redis of its own, so the rail's token is not shared: each new token would end the others'.
  await crashAtEach('create', learned.get('create'));
  await Promise.all([
    crashAtEach('callback', learned.get('callback')),
    crashAtEach('inbox', learned.get('inbox')).then(() =>
      crashAtEach('query', learned.get('query')),
    ),
  ]);
  for (const name of ['airtel-create', 'airtel-query'] as const)
    await crashAtEach(name, await flowOf(name).learn());
  endpoint = await WebhookEndpoint.open(service);
  flows.set('webhook', new WebhookFlow(service, records, endpoint));
  await crashAtEach('webhook', await flowOf('webhook').learn());
  await records.endLeases();
  await service.start('worker');
  await service.kill('projector');
  await crashAtEach('projection', await flowOf('projection').learn());

  await records.endLeases();
  await service.start('projector');
  // Nothing here is lost both ways, so no payment is left to people.
  await eventually(
    () => agreementOf(service),
    (now) =>
      [...now.folded].every(([key, { status }]) => status === 'completed' || !isPaid(now, key)),
    { withinMs: 60_000, everyMs: 300 },
  );
  found = await settled(service, allReferences());
}, 2_400_000);

afterAll(async () => {
  endpoint.close();
  await redis.quit();
  await records.close();
  await service.stop();
  await airtel.stop();
  await servers.stop();
});

/** Run before there are collections: the worker's clock is ahead, so it would ask the rail about all of them. */
async function correctionsDie(): Promise<void> {
  corrected = await CorrectedAccount.open(service);
  const completion = new CompletionFlow(corrected, records);
  flows.set('confirmation', new ConfirmationFlow(corrected));
  flows.set('completion', completion);
  for (const name of ['confirmation', 'completion'] as const)
    await crashAtEach(name, await flowOf(name).learn());
  await completion.converge();
}

function flowOf(name: Name): CrashFlow {
  const flow = flows.get(name);
  if (!flow) throw new Error(`no flow ${name}`);
  return flow;
}

const allReferences = (): string[] => [...flows.values()].flatMap(({ references }) => references);

/** A failing point does not keep the others from being tried: all are reported together. */
async function crashAtEach(name: Name, learned: readonly Passing[] = []): Promise<void> {
  const wrong: string[] = [];
  for (const at of deathsOf(name, learned))
    await flowOf(name)
      .crash(at)
      .catch((error: unknown) => wrong.push(`${at.point}#${at.pass}: ${String(error)}`));
  runs.set(name, { learned, wrong });
}

function deathsOf(name: Name, learned: readonly Passing[]): readonly Passing[] {
  if (name === 'projection') return momentsOfTransactions(learned);
  const moments = momentsOf(learned);
  if (!diesAtItsOwn.has(name)) return moments;
  return moments.filter(({ point }) => calls[name].some((call) => point.startsWith(`${call}:`)));
}

describe.each(names)('%s', (name) => {
  it('has a crash point on both sides of each of its calls', () => {
    const points = new Set(runs.get(name)?.learned.map(({ point }) => point));
    const wanted = calls[name].flatMap((call) => [`${call}:before`, `${call}:after`]);
    expect(wanted.filter((point) => !points.has(point))).toEqual([]);
  });

  it('dies at each of them, and is answered and durable when it is retried', () => {
    expect(runs.get(name)?.wrong).toEqual([]);
  });
});

describe('after all crashes', () => {
  it('events, entries, balance, list and the rail’s statement agree, and each push was made once', () => {
    expectAgreement(found, allReferences());
  });

  it('each paid collection is completed, and each unpaid pending one is listed for review', () => {
    for (const [reference, { status, rail_reference, under_review }] of found.folded) {
      const paid = isPaid(found, reference);
      const isPushKnown = rail_reference !== null;
      expect({ reference, status, isPushKnown, under_review }).toEqual({
        reference,
        isPushKnown: paid,
        status: paid ? 'completed' : expect.stringMatching(/^(pending|failed)$/),
        under_review: !paid && status === 'pending',
      });
    }
  });

  it('each owed webhook arrives, again if the worker died after it, and with the same bytes', async () => {
    const { references = [] } = flows.get('webhook') ?? {};
    const told = () => Promise.resolve(references.filter((one) => endpoint.told.has(one)));
    expect(await eventually(told, ({ length }) => length === references.length)).toEqual(
      references,
    );
    const idOf = (body: string) => (JSON.parse(body) as { id: string }).id;
    const ids = new Set(endpoint.bodies.map(idOf));
    expect(new Set(endpoint.bodies).size).toBe(ids.size);
    // The worker sends a webhook twice if it died before it recorded the first attempt.
    expect(endpoint.bodies.length).toBeGreaterThan(ids.size);
  });

  it('each correction was reserved once and posted once, and the balance shows it', async () => {
    const counts = await corrected.timesInLog();
    expect(counts).toEqual(counts.map(({ id }) => ({ id, reserved: 1, posted: 1 })));
    expect(await corrected.balance()).toEqual(corrected.balanceWith(0));
  });

  it('the views equal those of a rebuild, byte for byte', async () => {
    for (const { table, live, rebuilt } of await liveAndRebuilt(service))
      expect({ table, rows: rebuilt }).toEqual({ table, rows: live });
  });
});
