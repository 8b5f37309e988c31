import { setTimeout as sleep } from 'node:timers/promises';
import { createCalls } from '../load/collection-requests.js';
import { refuseOthersThan } from '../load/bursts.js';
import { LoadGenerator } from '../load/generator.js';
import { type Accepted, type UnsignedRequest } from '../load/protocol.js';
import {
  type BenchCase,
  type Conditions,
  type Findings,
  type Measurement,
  measurement,
} from '../measurement.js';
import { untilCaughtUp } from '../servers/projection.js';
import { type Service, startService } from '../servers/service.js';
import { openStoreClient } from '../servers/store-client.js';
import { type Fault, StorePair } from '../servers/store-pair.js';
import { totalAnonMb } from '../servers/usage.js';

const perSecond = 300;
/** Less than an API takes from one source, and the requests of three seconds. */
const connections = 900;
const faultAfterMs = 3000;
/** Longer than a create waits for the event store. */
const frozenMs = 6000;
const minRoundSeconds = 12;
const warmUpSeconds = 5;
const faults = ['killed', 'frozen'] as const satisfies Fault[];
/** No customer answers: creates are measured alone. */
const settings = { SIMULATOR_DELAY: '12h', RAIL_QUERY_DELAYS: '24h' };

/** One change of leader under load. */
interface Round {
  readonly fault: Fault;
  /** From the last create that was accepted before it to the first one after it. */
  readonly gapMs: number;
  /** From the fault until the other node led. */
  readonly electionMs: number;
  readonly refused: number;
}

/** The time without a create while the event store's leader changes, and proof that no create is lost or pushed twice. */
export const leaderChange: BenchCase = {
  name: 'leader-change',
  seconds: 96,
  about:
    'The most seconds without an accepted create, at 300 creates a second that come whatever happens, while the event store’s leader is killed, or frozen and continued after another one leads. The floor is the time until the other node led, which the embedded store’s start stands for. The case fails if an accepted create is not in the log, or if one was pushed twice.',
  run: async (conditions: Conditions): Promise<Findings> => {
    const pair = await StorePair.start(conditions.fixture);
    const service = await startService(
      conditions.fixture,
      { ...settings, EVENTSTORE_URL: pair.store.url },
      { store: pair.store },
    );
    const load = new LoadGenerator();
    try {
      return await findings(service, await rounds({ pair, service, load }, conditions));
    } finally {
      load.stop();
      await service.stop();
      await pair.stop();
    }
  },
};

interface Scene {
  readonly pair: StorePair;
  readonly service: Service;
  readonly load: LoadGenerator;
}

async function rounds(scene: Scene, { fixture, seconds }: Conditions): Promise<readonly Round[]> {
  const rate = fixture.scaled(perSecond);
  const accepted: UnsignedRequest[] = [];
  await creates(scene, { rate, seconds: warmUpSeconds }, accepted);
  const done: Round[] = [];
  for (let spent = 0; fixture.needsTurn(spent, seconds); spent += 2 * minRoundSeconds)
    for (const fault of faults) done.push(await changed(scene, { rate, fault }, accepted));
  await expectNoneLost(scene, accepted);
  return done;
}

async function changed(
  scene: Scene,
  { rate, fault }: { readonly rate: number; readonly fault: Fault },
  accepted: UnsignedRequest[],
): Promise<Round> {
  const [electionMs, { longestGapMs, refused }] = await Promise.all([
    change(scene, fault),
    creates(scene, { rate, seconds: minRoundSeconds }, accepted),
  ]);
  await untilCaughtUp(scene.service);
  return { fault, gapMs: longestGapMs, electionMs, refused };
}

async function change({ pair }: Scene, fault: Fault): Promise<number> {
  await sleep(faultAfterMs);
  const electionMs = await pair.changeLeader(fault);
  if (fault === 'frozen') {
    await sleep(Math.max(0, frozenMs - electionMs));
    await pair.continueDeposed();
  }
  return electionMs;
}

/** Sends creates at a fixed rate, and adds those that were accepted. */
async function creates(
  { service, load }: Scene,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
  accepted: UnsignedRequest[],
): Promise<Pick<Accepted, 'longestGapMs'> & { readonly refused: number }> {
  const calls = createCalls(rate * seconds, service.merchant.accountNo);
  await load.sign(service.merchant, calls);
  const burst = await load.send({
    port: service.port,
    connections,
    withinMs: seconds * 1000,
    perSecond: rate,
  });
  refuseOthersThan([202, 503], burst);
  const { places, longestGapMs } = burst.accepted ?? { places: [], longestGapMs: Number.NaN };
  accepted.push(...places.flatMap((place) => calls[place] ?? []));
  return { longestGapMs, refused: burst.statuses['503'] ?? 0 };
}

/** @throws if an accepted create is not in the log, or the rail took more pushes than there are creates */
async function expectNoneLost(
  { service, pair }: Scene,
  accepted: readonly UnsignedRequest[],
): Promise<void> {
  const prefix = `collection-demo:${service.merchant.merchantId}:`;
  const store = openStoreClient(pair.store.url);
  const recorded = new Set<string>();
  try {
    for await (const event of store.readAll('start', [prefix]))
      if (event.type === 'CollectionIntentRecorded')
        recorded.add(event.stream.slice(prefix.length));
  } finally {
    await store.dispose();
  }
  const lost = accepted.map(referenceOf).filter((reference) => !recorded.has(reference));
  if (lost.length > 0) throw new Error(`${lost.length} accepted creates are not in the log`);
  const pushes = await pushesOf(service);
  if (pushes > recorded.size)
    throw new Error(`the rail took ${pushes} pushes for ${recorded.size} creates`);
}

function referenceOf({ body = '{}' }: UnsignedRequest): string {
  return (JSON.parse(body) as { readonly reference: string }).reference;
}

async function pushesOf({ env }: Service): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${env['SIMULATOR_PORT'] ?? ''}/_stats`);
  return ((await response.json()) as { readonly pushes: number }).pushes;
}

async function findings(service: Service, done: readonly Round[]): Promise<Findings> {
  const anon_mb = totalAnonMb(await service.usage());
  /** The longest gap of all rounds: a mean would hide the one that a merchant notices. */
  const ofFault = (fault: Fault): readonly Measurement[] =>
    done
      .filter((round) => round.fault === fault)
      .sort((one, other) => other.gapMs - one.gapMs)
      .slice(0, 1)
      .map(({ gapMs, electionMs }) =>
        measurement({
          name: `leader_change_${fault}`,
          value: gapMs / 1000,
          unit: 's',
          floor: electionMs / 1000,
          anon_mb,
        }),
      );
  return {
    measurements: faults.flatMap(ofFault),
    notes: done.map(
      ({ fault, gapMs, electionMs, refused }) =>
        `leader-change: ${fault}: no create was accepted for ${(gapMs / 1000).toFixed(2)} s; another node led after ${(electionMs / 1000).toFixed(2)} s; ${refused} creates were answered 503`,
    ),
  };
}
