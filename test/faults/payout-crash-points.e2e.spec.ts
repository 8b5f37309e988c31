import {
  type Agreement,
  type Child,
  eventually,
  freePort,
  type MerchantClient,
  type Service,
  startService,
  secondHolder,
} from '#testing';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectBatchesAgree, expectPayoutsAgree, settled } from './agreed.js';
import {
  callsReturned,
  commandDiesAt,
  dieAt,
  firstSince,
  momentsOf,
  type Passing,
  passingsOf,
  sinceListening,
} from './crash-points.js';
import {
  approveBatch,
  askForBatch,
  askOnce,
  askUntilAnswered,
  cancelOnce,
  decideOnce,
  decideUntilAnswered,
  funded,
  itemsOf,
  untilAnswered,
} from './payouts.js';
import { AirtelProcess } from '../rail/airtel-process.js';
import { RecordsUnderTest } from './records.js';

/**
 * Processes that die at the calls of a payout's steps: the end of its approval, a pause, its request, its approval, its
 * cancellation, those of a batch, its sending, a query about it, a query that reports a payment after a decline, and its
 * result at an API that dies.
 */
const names = [
  ...(['expire', 'pause', 'request', 'approve', 'cancel', 'batch'] as const),
  ...(['send', 'query', 'late', 'result'] as const),
  ...(['airtel-send', 'airtel-query'] as const),
] as const;
type Name = (typeof names)[number];

/** Calls of each that a trace must contain, before and after, and at which it dies: those that write, and the rail's. */
const calls: Readonly<Record<Name, readonly string[]>> = {
  expire: ['eventstore:append PayoutApprovalExpired'],
  pause: ['eventstore:append PayoutsPaused'],
  request: [
    'eventstore:append PayoutRequested',
    'eventstore:append FundsReserved',
    'eventstore:append PayoutReserved',
  ],
  approve: ['eventstore:append PayoutApproved'],
  cancel: ['eventstore:append PayoutRejected', 'eventstore:append ReservationReleased'],
  batch: [
    ...['eventstore:append PayoutBatchRequested', 'eventstore:append PayoutRequested'],
    ...['eventstore:append FundsReserved,FundsReserved', 'eventstore:append PayoutReserved'],
    ...['eventstore:append PayoutBatchApproved', 'eventstore:append PayoutApproved'],
  ],
  send: ['eventstore:append RailPayoutStarted', 'eventstore:append RailPayoutAccepted'],
  query: ['eventstore:append RailConfirmed,WalletPosted'],
  late: [
    ...['eventstore:append RailConfirmed', 'eventstore:append FundsReserved'],
    'eventstore:append WalletPosted,ReviewFlagged',
  ],
  result: ['postgres:sealed-messages-insert', 'eventstore:append RailConfirmed,WalletPosted'],
  'airtel-send': [
    ...['eventstore:append RailPayoutStarted', 'rail:airtel-payout'],
    'eventstore:append RailPayoutAccepted',
  ],
  'airtel-query': [
    ...['rail:airtel-payout-enquiry', 'postgres:inbox-insert'],
    'eventstore:append RailConfirmed,WalletPosted',
  ],
};
/** For the long flows, the calls after whose first passing it dies: half of the work is done then. */
const dies: Readonly<Partial<Record<Name, readonly string[]>>> = {
  batch: calls.batch.filter((call) => !call.endsWith('PayoutReserved')),
  late: calls.late.slice(0, 2),
  result: calls.result,
};
/**
 * One pays. One pays, and its result is lost. One is declined by its result, then pays all the same, which a query
 * reports. Over Airtel, one is paid at once, and one is paid although the order's answer was lost.
 */
const phone = {
  pays: '254712345678',
  resultLost: '254700000104',
  paysLater: '254700000019',
  airtel: '254733000001',
  airtelAnswerLost: '254733000106',
} as const;
const trace = { CRASH_AT: 'trace' } as const;
/** To this worker every approval is too old. */
const strict = { PAYOUT_MAX_AGE: '1ms' } as const;

let service: Service;
let airtel: AirtelProcess;
let records: RecordsUnderTest;
let checker: MerchantClient;
let found: Agreement;
const collections: string[] = [];
const payouts: string[] = [];
const batches: string[] = [];
/** The API that gets results, and dies. */
let edgePort: number;
const learned = new Map<Name, readonly Passing[]>();
const wrong = new Map<Name, string[]>();

beforeAll(async () => {
  airtel = await AirtelProcess.begin('200ms');
  service = await startService({ ...(await airtel.settings()), SIMULATOR_DELAY: '200ms' });
  await airtel.enableFor(service);
  records = new RecordsUnderTest(service.env['DATABASE_URL'] ?? '');
  checker = await secondHolder(service);
  collections.push(await funded(service));
  edgePort = await freePort();
  // Only workers that die run.
  await service.kill('worker');
  // One after the other, so that each trace shows only one payout, or one batch.
  for (const name of names) learned.set(name, await learn(name));
  const crashAll = async (some: readonly Name[]): Promise<void> => {
    for (const name of some) await crashAtEach(name);
  };
  // Alone: they keep every payout from being sent.
  await crashAll(['expire', 'pause']);
  // APIs that die, and next to them workers that die.
  await Promise.all([
    crashAll(['request', 'approve', 'cancel']),
    crashAll(['send', 'query', 'late', 'result', 'airtel-send', 'airtel-query']),
  ]);
  // Run this afterwards, since each payout of a batch must be paid: none may be with a sender that dies.
  await crashAll(['batch']);
  await records.endLeases();
  await service.start('worker');
  for (const reference of payouts.filter((each) => each.startsWith('late')))
    await reached(reference, ({ status }) => status === 'completed');
  found = await settled(service, collections);
}, 600_000);
afterAll(async () => {
  await records.close();
  await service.stop();
  await airtel.stop();
});

const urlOf = ({ ports }: Child): string => `http://127.0.0.1:${String(ports.port)}`;
const abandonClaim = (reference: string): Promise<void> => records.abandonClaim(reference);

/** The points at which it dies: on both sides of the named calls, without those between which nothing can be seen. */
function deathsOf(name: Name): readonly Passing[] {
  const sides = dies[name] ? ['after'] : ['before', 'after'];
  const wanted = (dies[name] ?? calls[name]).flatMap((call) =>
    sides.map((side) => `${call}:${side}`),
  );
  const at = momentsOf(learned.get(name) ?? []).filter(({ point }) => wanted.includes(point));
  return [...new Map(at.toReversed().map((passing) => [passing.point, passing])).values()];
}

/** A failing point does not keep the others from being tried: all are reported together. */
async function crashAtEach(name: Name): Promise<void> {
  const failed: string[] = [];
  for (const at of deathsOf(name))
    await crash(name, at).catch((error: unknown) =>
      failed.push(`${at.point}#${at.pass}: ${String(error)}`),
    );
  wrong.set(name, failed);
}

function next(name: Name): string {
  const reference = `${name}-${payouts.length}`;
  if (name !== 'batch') payouts.push(reference);
  else {
    batches.push(reference);
    payouts.push(...itemsOf(reference));
  }
  return reference;
}

const numbers: Readonly<Partial<Record<Name, string>>> = {
  query: phone.resultLost,
  late: phone.paysLater,
  'airtel-send': phone.airtel,
  'airtel-query': phone.airtelAnswerLost,
};

/** The flows whose steps are a worker's. */
const ofWorker: ReadonlySet<Name> = new Set([
  ...(['send', 'query', 'late', 'airtel-send', 'airtel-query'] as const),
]);

/** A payout at the state in which the flow begins, by the service's own API, which does not die. */
async function prepared(name: Name): Promise<string> {
  if (name === 'pause') return 'all of the merchant’s';
  const reference = next(name);
  const of = { makers: [service.merchant], checker, abandonClaim };
  if (name === 'request' || name === 'batch') return reference;
  const to = numbers[name] ?? phone.pays;
  await askUntilAnswered(of, { reference, phone: to });
  // It is cancelled before any approval, since a sender may be running.
  const isUndecided = name === 'approve' || name === 'cancel' || name === 'result';
  if (!isUndecided) await decideUntilAnswered(of, reference, 'approve');
  if (name === 'late') await declined(reference);
  return reference;
}

/** Its sender ends before it asks for the outcome. */
async function declined(reference: string): Promise<void> {
  const sender = await service.startReplica('worker');
  await reached(
    reference,
    ({ status, rail_reference: named }) => status === 'failed' && named !== null,
  );
  sender.signal('SIGKILL');
  await sender.ended;
  await records.endLeases();
}

async function reached(
  reference: string,
  is: (item: Readonly<Record<string, unknown>>) => boolean,
): Promise<void> {
  await eventually(
    () => service.merchant.get(`/api/v4/payouts/${reference}`),
    ({ body }) => is(body),
    { withinMs: 60_000, everyMs: 50 },
  );
}

/** Makes an API take the step. @returns the answer's status; 0 if there was none */
function drive(name: Name, reference: string, api: Child, key: string): Promise<number> {
  const asked = { reference, phone: phone.pays };
  const maker = service.merchant.at(urlOf(api));
  if (name === 'batch') return askForBatch(maker, asked, key);
  if (name === 'cancel') return cancelOnce(maker, reference, key);
  return name === 'request'
    ? askOnce(maker, asked, key)
    : decideOnce(checker.at(urlOf(api)), { reference, verdict: 'approve' }, key);
}

async function learn(name: Name): Promise<readonly Passing[]> {
  const reference = await prepared(name);
  if (name === 'result') return learnOfResult(reference);
  if (name === 'expire') return expired(reference, trace);
  if (name === 'pause') return paused(trace);
  if (name === 'request' || name === 'approve' || name === 'cancel' || name === 'batch') {
    const api = await service.startReplica('api', trace);
    expect(await drive(name, reference, api, randomUUID())).toBe(202);
    if (name === 'batch')
      expect(await approveBatch(checker.at(urlOf(api)), reference, randomUUID())).toBe(202);
    const passed = sinceListening(api);
    if (name === 'request')
      await decideUntilAnswered({ checker, abandonClaim }, reference, 'approve');
    api.signal('SIGTERM');
    await api.ended;
    return passed;
  }
  const worker = await service.startReplica('worker', trace);
  await reached(reference, ({ status }) => status === 'completed');
  await callsReturned(worker);
  const passed = firstSince(passingsOf(worker), 'postgres:open-payouts-of-step:before', /^$/);
  worker.signal('SIGTERM');
  await worker.ended;
  return passed;
}

/** A worker sends it back to its approvers, and a holder rejects it. @returns what the worker passed */
async function expired(
  reference: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<readonly Passing[]> {
  const worker = await service.startReplica('worker', { ...strict, ...settings });
  await reached(reference, ({ status }) => status === 'pending_approval');
  await callsReturned(worker);
  worker.signal('SIGTERM');
  await worker.ended;
  await decideUntilAnswered({ checker, abandonClaim }, reference, 'reject');
  return passingsOf(worker);
}

const pausing = (verb: 'pause' | 'resume'): readonly string[] => {
  const { merchantId } = service.merchant.credentials;
  const why = ['--reason', 'a drill', '--as', 'amina'];
  return ['payout', verb, '--merchant', merchantId, '--mode', 'demo', ...why];
};

/** An operator pauses, and resumes afterwards. @returns what the command that paused passed */
async function paused(
  settings: Readonly<Record<string, string>> = {},
): Promise<readonly Passing[]> {
  const command = service.spawnCommand(pausing('pause'), settings);
  expect(await command.ended).toBe(0);
  expect(await service.spawnCommand(pausing('resume')).ended).toBe(0);
  return passingsOf(command);
}

async function learnOfResult(reference: string): Promise<readonly Passing[]> {
  const api = await service.startReplica('api', { PORT: String(edgePort), ...trace });
  await sendByWay(reference, () =>
    reached(reference, ({ status }) => status === 'completed').then(() => callsReturned(api)),
  );
  const passed = sinceListening(api);
  api.signal('SIGTERM');
  await api.ended;
  return passed;
}

/** Approves it, and sends it with a worker whose results go to the edge, while the work lasts. */
async function sendByWay(reference: string, lasting: () => Promise<unknown>): Promise<void> {
  const BASE_URL = `http://127.0.0.1:${String(edgePort)}`;
  const sender = await service.startReplica('worker', { BASE_URL });
  await decideUntilAnswered({ checker, abandonClaim }, reference, 'approve');
  await lasting();
  sender.signal('SIGKILL');
  await sender.ended;
  await records.endLeases();
}

async function crash(name: Name, at: Passing): Promise<void> {
  const reference = await prepared(name);
  if (ofWorker.has(name)) {
    await dieAt(service, { app: 'worker', at });
    // Its next start finds the rest of its work.
    await records.endLeases();
    return;
  }
  if (name === 'expire') {
    await dieAt(service, { app: 'worker', at, settings: strict });
    await records.endLeases();
    await expired(reference);
    return;
  }
  if (name === 'pause') {
    await commandDiesAt(service, pausing('pause'), at);
    await paused();
    return;
  }
  if (name === 'batch') return batchCrash(reference, at);
  if (name === 'result') {
    const settings = { PORT: String(edgePort) };
    const drive = ({ ended }: { readonly ended: Promise<unknown> }) =>
      sendByWay(reference, () => ended);
    return dieAt(service, { app: 'api', at, settings, drive });
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
  } else if (name === 'cancel')
    await untilAnswered(reference, abandonClaim, () =>
      cancelOnce(service.merchant, reference, key),
    );
  else await decideUntilAnswered(of, reference, 'approve', key);
}

/** The requester repeats the request. Once the batch is approved, the rest is the worker's. */
async function batchCrash(reference: string, at: Passing): Promise<void> {
  const key = randomUUID();
  const isDecision = /PayoutBatchApproved|PayoutApproved/.test(at.point);
  const ask = () =>
    untilAnswered(reference, abandonClaim, () =>
      askForBatch(service.merchant, { reference, phone: phone.pays }, key),
    );
  if (isDecision) await ask();
  await dieAt(service, {
    app: 'api',
    at,
    drive: async ({ up }) => {
      const api = await up;
      return isDecision
        ? approveBatch(checker.at(urlOf(api)), reference, key)
        : drive('batch', reference, api, key);
    },
  });
  if (isDecision) return;
  await ask();
  await untilAnswered(reference, abandonClaim, () => approveBatch(checker, reference, key));
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
    expectBatchesAgree(found, batches);
    expect(found.postedTwice).toEqual([]);
    expect(found.postedByEntries).toBe(found.postedByEvents);
    expect(found.postedByBalance).toBe(found.postedByEvents);
  });
});
