import { freePort, type ServerProcess } from '#infra/local-servers';
import { LoadGenerator } from '../load/generator.js';
import { type Burst } from '../load/protocol.js';
import { type Findings, measurement, quantile } from '../measurement.js';
import { type Fixture } from '../servers/fixture.js';
import { startNode } from '../servers/node-process.js';
import { type Service, startService } from '../servers/service.js';
import { cpuPerPiece, totalAnonMb, type Usage, usageOf } from '../servers/usage.js';
import { createCalls } from './collection-requests.js';

const connections = 64;
/** Signed and sent in one go; service and floor take turns, so that a busy machine slows both. */
const serviceBatch = 2000;
const floorBatch = 4000;
/** Compilers and caches have seen this many before anything counts. */
const warmUp = 2000;
const maxBurstMs = 60_000;

/** No customer answers while creates are measured: what happens then is `lifecycle`'s. */
const settings = { SIMULATOR_DELAY: '12h', RAIL_QUERY_DELAYS: '24h' };

/** Signed V4 creates against the running API, over `seconds` of sending. */
export async function create(fixture: Fixture, seconds: number): Promise<Findings> {
  const service = await startService(fixture, settings);
  const floorPort = await freePort();
  const load = new LoadGenerator();
  try {
    const floorServer = await startNode(fixture, {
      name: 'bare-create-server',
      module: 'bench/floors/bare-create-server',
      folder: await fixture.folder('floor'),
      env: {
        PORT: String(floorPort),
        DATABASE_URL: service.databaseUrl,
        REDIS_URL: (await fixture.redis()).url,
        PUBLIC_KEY_PEM: service.merchant.publicKeyPem,
      },
      port: floorPort,
      isFloor: true,
    });
    try {
      return await measure({ service, floorServer, floorPort, load }, seconds);
    } finally {
      await floorServer.stop();
    }
  } finally {
    load.stop();
    await service.stop();
  }
}

interface Scene {
  readonly service: Service;
  readonly floorServer: ServerProcess;
  readonly floorPort: number;
  readonly load: LoadGenerator;
}

async function measure(scene: Scene, seconds: number): Promise<Findings> {
  const { service, floorPort, load } = scene;
  const { merchant, port } = service;
  const sign = (count: number) => load.sign(merchant, createCalls(count, merchant.accountNo));
  const send = async (to: number): Promise<Burst> => {
    const burst = await load.send({ port: to, connections, withinMs: maxBurstMs });
    refuseOthersThan202(burst);
    return burst;
  };
  for (const to of [port, floorPort]) {
    await sign(warmUp);
    await send(to);
  }
  const taken: Burst[] = [];
  const bare: Burst[] = [];
  let [cpuOfCreates, cpuOfFloor] = ['', ''];
  let maxMb: number | null = null;
  while (sum(taken, ({ seconds: s }) => s) < seconds) {
    await sign(serviceBatch);
    const beforeCreates = await usageOfAll(scene);
    taken.push(await send(port));
    const afterCreates = await usageOfAll(scene);
    maxMb = Math.max(maxMb ?? 0, totalAnonMb(await service.usage()) ?? 0) || null;
    await sign(floorBatch);
    const beforeFloor = await usageOfAll(scene);
    bare.push(await send(floorPort));
    const afterFloor = await usageOfAll(scene);
    cpuOfCreates = cpuPerPiece(beforeCreates, afterCreates, serviceBatch);
    cpuOfFloor = cpuPerPiece(beforeFloor, afterFloor, floorBatch);
  }
  const latencies = taken.flatMap((burst) => burst.latencies).sort((a, b) => a - b);
  return {
    measurements: [
      measurement({
        name: 'create',
        value: rateOf(taken),
        unit: 'creates/s',
        floor: rateOf(bare),
        anon_mb: maxMb,
      }),
    ],
    notes: [
      `create: ${connections} in flight, p50 ${quantile(latencies, 0.5).toFixed(1)} ms, p99 ${quantile(latencies, 0.99).toFixed(1)} ms; ` +
        `the load generator took ${cpuShare(taken)} of a processor (${cpuShare(bare)} at the floor)`,
      `create: ms of processor a create: ${cpuOfCreates}`,
      `create: ms of processor at the floor: ${cpuOfFloor}`,
    ],
  };
}

async function usageOfAll({ service, floorServer }: Scene): Promise<ReadonlyMap<string, Usage>> {
  const floor = await usageOf({ 'bare-server': floorServer.pid });
  return new Map([...(await service.usage()), ...floor]);
}

export function refuseOthersThan202({ statuses }: Burst): void {
  const others = Object.keys(statuses).filter((status) => status !== '202');
  if (others.length > 0)
    throw new Error(`creates were answered ${JSON.stringify(statuses)}: nothing was measured`);
}

export function cpuShare(bursts: readonly Burst[]): string {
  const share = sum(bursts, (v) => v.cpuSeconds) / sum(bursts, (v) => v.seconds);
  return `${Math.round(share * 100)} %`;
}

function rateOf(bursts: readonly Burst[]): number {
  return sum(bursts, (v) => v.answered) / sum(bursts, (v) => v.seconds);
}

function sum(bursts: readonly Burst[], of: (burst: Burst) => number): number {
  return bursts.reduce((total, burst) => total + of(burst), 0);
}
