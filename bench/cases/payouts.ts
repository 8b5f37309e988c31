import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { viewSchema } from '#views/view-set';
import { cpuShare, rateOf, refuseOthersThan } from '../load/bursts.js';
import { approvalCall, createCalls, payoutCall } from '../load/collection-requests.js';
import { LoadGenerator } from '../load/generator.js';
import { type Burst, type UnsignedRequest } from '../load/protocol.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { untilCaughtUp } from '../servers/projection.js';
import { type Fixture } from '../servers/fixture.js';
import { type Merchant, type Service, startService } from '../servers/service.js';
import { describe, spentBetween, totalAnonMb } from '../servers/usage.js';
import { quantile } from '../statistics.js';
import { create } from './create.js';

/**
 * The payouts requested in a second on one account, and as many approvals: a share of the creates that the service took
 * in the same run. If requests were answered late, approvals would come before them.
 */
const rate = { ofCreates: 0.2, most: 200 };
/** How long after its request an approval is sent. */
const leadSeconds = 3;
const accounts = 16;
/** The most that the rail accepts; a payout takes 100 and a fee of 2. */
const depositMinor = 25_000_000;
const connections = { atRate: 256, many: 64 };
const warmUp = 2000;
const maxBurstMs = 240_000;
const lookEveryMs = 200;
/** One and a half times as long as the API may believe that an account does not exist. */
const cachedMs = 1500;
/** How many payouts a second the worker gives to Daraja by default. */
const darajaPace = 20;
const countDeadlineMs = 60_000;

/**
 * Payouts requested and approved on one account, at a fixed rate, first while the worker sends at Daraja's pace, then
 * while it sends all of them. Then payouts requested over many accounts.
 */
export const payouts: BenchCase = {
  name: 'payouts',
  seconds: 20,
  about:
    'p50 and p99 of payout requests, and of as many approvals, on one account, timed from when each was due. Each comes at a fifth of the rate of `create` in the same run, and at 200 a second at most. The floor is as many collections as both. Meanwhile the worker sends 20 a second, its default for Daraja. In `payouts_sent` it sends all of them, and they are paid. `payouts_many` is requests a second over 16 accounts, 64 in flight; its floor is `create` of the same run.',
  floor: create,
  run: async ({ fixture, seconds, earlier }: Conditions): Promise<Findings> => {
    const floor = earlier.find(({ name }) => name === create.name)?.value ?? Number.NaN;
    const perSecond = Math.min(rate.most, Math.ceil(rate.ofCreates * floor));
    const of = { floor, perSecond };
    const paced = await during(fixture, { ...of, pace: darajaPace }, (scene) =>
      onOneAccount(scene, 'payouts', seconds),
    );
    const sent = await during(fixture, { ...of, pace: perSecond }, async (scene) => [
      await onOneAccount(scene, 'payouts_sent', seconds),
      await overManyAccounts(scene, seconds),
    ]);
    const all = [paced, ...sent];
    return {
      measurements: all.flatMap(({ measurements }) => measurements),
      notes: all.flatMap(({ notes }) => notes),
    };
  },
};

/** Runs work on a service of its own. */
async function during<T>(
  fixture: Fixture,
  { pace, ...of }: Pick<Scene, 'floor' | 'perSecond'> & { readonly pace: number },
  work: (scene: Scene) => Promise<T>,
): Promise<T> {
  const service = await startService(fixture, { RAIL_MPESA_DEMO_PAYOUT_RATE: String(pace) });
  const [maker, checker] = [new LoadGenerator(), new LoadGenerator()];
  try {
    const checkers = await service.credentialOf('checker');
    return await work({ ...of, fixture, service, maker, checker, checkers });
  } finally {
    maker.stop();
    checker.stop();
    await service.stop();
  }
}

interface Scene {
  readonly fixture: Fixture;
  readonly service: Service;
  readonly maker: LoadGenerator;
  readonly checker: LoadGenerator;
  /** The merchant's second holder. */
  readonly checkers: Merchant;
  /** Creates a second in the same run. */
  readonly floor: number;
  /** Payouts requested in a second on one account. */
  readonly perSecond: number;
}

async function onOneAccount(
  scene: Scene,
  name: 'payouts' | 'payouts_sent',
  seconds: number,
): Promise<Findings> {
  const { fixture, service, maker, checker, checkers, perSecond } = scene;
  const { merchant, port } = service;
  await deposit(scene, [merchant.accountNo]);
  const shot = { port, connections: connections.atRate, withinMs: maxBurstMs, perSecond };
  const send = async (load: LoadGenerator, signer: Merchant, calls: UnsignedRequest[]) => {
    // The calls that were signed last are sent first.
    await load.sign(signer, calls.toReversed());
    return () => load.send(shot);
  };
  // Compilers and caches have seen as many before the measurement.
  await maker.sign(merchant, createCalls(fixture.scaled(warmUp), merchant.accountNo));
  const { many } = connections;
  refuseOthersThan([202], await maker.send({ port, connections: many, withinMs: maxBurstMs }));
  await untilCaughtUp(service);
  const collections = createCalls(2 * perSecond * seconds, merchant.accountNo);
  await maker.sign(merchant, collections);
  const floor = await maker.send({ ...shot, perSecond: 2 * perSecond });
  refuseOthersThan([202], floor);
  await untilCaughtUp(service);

  const lead = leadSeconds * perSecond;
  const asked = references(lead + perSecond * seconds);
  const calls = asked.map((reference) => payoutCall(merchant.accountNo, reference));
  refuseOthersThan([202], await (await send(maker, merchant, calls.slice(0, lead)))());
  const approvals = asked.slice(0, -lead).map(approvalCall);
  const sends = [
    await send(maker, merchant, calls.slice(lead)),
    await send(checker, checkers, approvals),
  ];
  const before = await service.usage();
  const bursts = await Promise.all(sends.map((fire) => fire()));
  for (const burst of bursts) refuseOthersThan([202], burst);
  const anon_mb = totalAnonMb(await service.usage());
  // At Daraja's pace most payouts still wait to be sent, and their later cost is not counted.
  if (name === 'payouts_sent') {
    await untilCaughtUp(service);
    await untilPaid(service);
  }
  const spent = describe(spentBetween(before, await service.usage()), perSecond * seconds);
  const measurements = ['request', 'approve'].flatMap((what, at) =>
    [['p50', 0.5] as const, ['p99', 0.99] as const].map(([label, share]) =>
      measurement({
        name: `${name}_${what}_${label}`,
        value: quantile(bursts[at]?.latencies ?? [], share),
        unit: 'ms',
        floor: quantile(floor.latencies, share),
        anon_mb,
      }),
    ),
  );
  return {
    measurements,
    notes: [
      words('on one account', bursts),
      `${name}: ms of processor a payout, asked for and approved: ${spent}`,
    ],
  };
}

async function overManyAccounts(scene: Scene, seconds: number): Promise<Findings> {
  const { fixture, service, maker, floor } = scene;
  const { merchant, port } = service;
  const numbers: string[] = [];
  const of = ['--merchant', merchant.merchantId, '--mode', 'demo', '--currency', 'KES'];
  for (let at = 0; at < accounts; at += 1)
    numbers.push((await service.operate('account', 'open', ...of))['account_no'] ?? '');
  await untilCaughtUp(service);
  await sleep(cachedMs);
  await deposit(scene, numbers);
  const send = async (count: number): Promise<Burst> => {
    const calls = references(count).map((reference, at) =>
      payoutCall(numbers[at % accounts] ?? '', reference),
    );
    await maker.sign(merchant, calls);
    const burst = await maker.send({ port, connections: connections.many, withinMs: maxBurstMs });
    refuseOthersThan([202], burst);
    return burst;
  };
  const count = Math.ceil(rateOf([await send(fixture.scaled(warmUp))]) * seconds);
  const burst = await send(count);
  return {
    measurements: [
      measurement({
        name: 'payouts_many',
        value: rateOf([burst]),
        unit: 'payouts/s',
        floor,
        anon_mb: totalAnonMb(await service.usage()),
      }),
    ],
    notes: [words(`over ${accounts} accounts`, [burst])],
  };
}

/** Fills each wallet by a collection. */
async function deposit({ service, maker }: Scene, into: readonly string[]): Promise<void> {
  const { merchant, port, databaseUrl } = service;
  const calls = into.flatMap((accountNo) => createCalls(1, accountNo, depositMinor));
  await maker.sign(merchant, calls);
  refuseOthersThan([202], await maker.send({ port, connections: 1, withinMs: maxBurstMs }));
  const wallets = into.map((accountNo) => `wallet:${accountNo}`);
  await untilCounted(databaseUrl, into.length, {
    text: `select count(*)::int as count from ${viewSchema()}.balances
      where mode = 'demo' and account = any($1) and credits_minor > $2`,
    values: [wallets, depositMinor / 2],
  });
}

/** Waits until no approved payout is waiting to be sent or for its result. */
async function untilPaid({ databaseUrl }: Service): Promise<void> {
  await untilCounted(databaseUrl, 0, {
    text: `select count(*)::int as count from ${viewSchema()}.open_payouts where step <> 'reserved'`,
    values: [],
  });
}

async function untilCounted(
  connectionString: string,
  wanted: number,
  statement: { readonly text: string; readonly values: unknown[] },
): Promise<void> {
  const database = new pg.Client({ connectionString });
  await database.connect();
  const giveUpAt = performance.now() + countDeadlineMs;
  try {
    for (;;) {
      const { rows } = await database.query<{ count: number }>(statement);
      if (rows[0]?.count === wanted) return;
      if (performance.now() > giveUpAt) throw new Error(`in vain waited for: ${statement.text}`);
      await sleep(lookEveryMs);
    }
  } finally {
    await database.end();
  }
}

const references = (count: number): string[] =>
  Array.from({ length: count }, () => `bench-${randomUUID()}`);

function words(where: string, bursts: readonly Burst[]): string {
  const rates = bursts.map((burst) => rateOf([burst]).toFixed(0)).join(' and ');
  return `payouts: ${where}, answered at ${rates}/s; the load generators took ${cpuShare(bursts)} of a processor`;
}
