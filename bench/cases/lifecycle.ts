import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { viewSchema } from '#views/view-set';
import { LoadGenerator } from '../load/generator.js';
import { type Burst } from '../load/protocol.js';
import { type Findings, measurement } from '../measurement.js';
import { type Fixture } from '../servers/fixture.js';
import { type Service, startService } from '../servers/service.js';
import { cpuPerPiece, totalAnonMb } from '../servers/usage.js';
import { createCalls, postedMinor } from './collection-requests.js';
import { cpuShare, refuseOthersThan202 } from './create.js';

const connections = 64;
/** Collections that may be on their way at once; customers alone keep a second's worth of them. */
const maxOnTheirWay = 1024;
/** Left out of the measurement, until as many come in as go out. */
const rampSeconds = 5;
const warmUp = 500;
/** Signed in advance; a service that is faster than this runs out of requests. */
const maxPerSecond = 600;
const lookEveryMs = 100;
const drainMs = 60_000;

/** What was seen of the views at one instant. */
interface Sample {
  readonly atMs: number;
  readonly posted: number;
  readonly lagSeconds: number;
  readonly anonMb: number | null;
}

/**
 * Collections from the signed create to the balance that shows them, sustained: as many are let in as come out,
 * so what is measured is the rate of the slowest part.
 * @param floor creates per second of the same run
 */
export async function lifecycle(
  fixture: Fixture,
  seconds: number,
  floor: number,
): Promise<Findings> {
  const service = await startService(fixture, {});
  const load = new LoadGenerator();
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  try {
    return await measure({ service, load, database }, seconds, floor);
  } finally {
    await database.end();
    load.stop();
    await service.stop();
  }
}

interface Scene {
  readonly service: Service;
  readonly load: LoadGenerator;
  readonly database: pg.Client;
}

async function measure(scene: Scene, seconds: number, floor: number): Promise<Findings> {
  const { service, load } = scene;
  const { merchant, port } = service;
  await load.sign(merchant, createCalls(warmUp, merchant.accountNo));
  refuseOthersThan202(await load.send({ port, connections, withinMs: 60_000 }));
  await untilPosted(scene, warmUp);

  const withinMs = (rampSeconds + seconds) * 1000;
  const count = (rampSeconds + seconds) * maxPerSecond;
  await load.sign(merchant, createCalls(count, merchant.accountNo));
  const before = await service.usage();
  const firing = load.send({ port, connections, withinMs, allowance: maxOnTheirWay });
  const samples = await follow(scene, firing);
  const burst = await firing;
  refuseOthersThan202(burst);
  await untilPosted(scene, warmUp + burst.answered);
  const after = await service.usage();

  const begin = samples[0]?.atMs ?? 0;
  const inWindow = samples.filter(({ atMs }) => atMs >= begin + rampSeconds * 1000);
  const [first, last] = [inWindow[0], inWindow.at(-1)];
  if (!first || !last || first === last) throw new Error('too short a run to measure anything');
  const maxLag = Math.max(...inWindow.map(({ lagSeconds }) => lagSeconds));
  return {
    measurements: [
      measurement({
        name: 'lifecycle',
        value: ((last.posted - first.posted) * 1000) / (last.atMs - first.atMs),
        unit: 'collections/s',
        floor,
        anon_mb: Math.max(...inWindow.map(({ anonMb }) => anonMb ?? 0)) || null,
      }),
    ],
    notes: [
      `lifecycle: ${last.posted - first.posted} collections in ${((last.atMs - first.atMs) / 1000).toFixed(0)} s; projector lag ${maxLag.toFixed(2)} s at most; ` +
        `all ${burst.answered} that were taken are posted; the load generator took ${cpuShare([burst])} of a processor`,
      `lifecycle: ms of processor a collection: ${cpuPerPiece(before, after, burst.answered)}`,
    ],
  };
}

/** Looks until the burst is over, and lets as many in as came out since the last look. */
async function follow(scene: Scene, firing: Promise<Burst>): Promise<Sample[]> {
  const samples: Sample[] = [await look(scene)];
  const over = firing.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([over, sleep(lookEveryMs, false)]))) {
    const sample = await look(scene, samples.length % 50 === 0);
    const before = samples.at(-1)?.posted ?? 0;
    if (sample.posted > before) scene.load.allow(sample.posted - before);
    samples.push(sample);
  }
  return samples;
}

async function look({ service, database }: Scene, withMemory = false): Promise<Sample> {
  const [posted, lagSeconds] = await Promise.all([
    postedOf(service, database),
    projectorLag(service.projectorAdminPort),
  ]);
  const anonMb = withMemory ? totalAnonMb(await service.usage()) : null;
  return { atMs: performance.now(), posted, lagSeconds, anonMb };
}

/** All collections are of one amount, so the balance tells how many are in it. */
async function postedOf({ merchant }: Service, database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ credits: string }>(
    `select credits_minor::text as credits from ${viewSchema()}.balances
     where mode = 'demo' and currency = 'KES' and account = $1`,
    [`wallet:${merchant.accountNo}`],
  );
  return Number(BigInt(rows[0]?.credits ?? '0') / postedMinor);
}

async function projectorLag(adminPort: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
  const [, lag] =
    /^pesapost_projector_lag_seconds(?:\{[^}]*\})? ([0-9.e+-]+)$/m.exec(await response.text()) ??
    [];
  if (lag === undefined) throw new Error('the projector tells no lag');
  return Number(lag);
}

async function untilPosted({ service, database }: Scene, count: number): Promise<void> {
  const giveUpAt = performance.now() + drainMs;
  for (;;) {
    const posted = await postedOf(service, database);
    if (posted === count) return;
    if (performance.now() > giveUpAt)
      throw new Error(`${posted} of ${count} collections were posted after ${drainMs / 1000} s`);
    await sleep(lookEveryMs);
  }
}
