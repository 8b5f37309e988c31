import { freePort } from '../../apps/launcher/src/servers/free-port.js';
import { type ServerProcess } from '../../apps/launcher/src/servers/server-process.js';
import { LoadGenerator } from '../load/generator.js';
import { type Volley } from '../load/protocol.js';
import { type Findings, measurement, quantile } from '../measurement.js';
import { type Ground } from '../servers/ground.js';
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
const longestVolleyMs = 60_000;

/** No customer answers while creates are measured: what happens then is `lifecycle`'s. */
const settings = { SIMULATOR_DELAY: '12h', RAIL_QUERY_DELAYS: '24h' };

/** Signed V4 creates against the running API, over `seconds` of sending. */
export async function create(ground: Ground, seconds: number): Promise<Findings> {
  const service = await startService(ground, settings);
  const floorPort = await freePort();
  const load = new LoadGenerator();
  try {
    const floorServer = await startNode(ground, {
      name: 'bare-create-server',
      module: 'bench/floors/bare-create-server',
      folder: await ground.folder('floor'),
      env: {
        PORT: String(floorPort),
        DATABASE_URL: service.databaseUrl,
        REDIS_URL: (await ground.redis()).url,
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
  const send = async (to: number): Promise<Volley> => {
    const volley = await load.fire({ port: to, connections, withinMs: longestVolleyMs });
    refuseOthersThan202(volley);
    return volley;
  };
  for (const to of [port, floorPort]) {
    await sign(warmUp);
    await send(to);
  }
  const taken: Volley[] = [];
  const bare: Volley[] = [];
  let [cpuOfCreates, cpuOfFloor] = ['', ''];
  let largestMb: number | null = null;
  while (sum(taken, ({ seconds: s }) => s) < seconds) {
    await sign(serviceBatch);
    const beforeCreates = await usageOfAll(scene);
    taken.push(await send(port));
    const afterCreates = await usageOfAll(scene);
    largestMb = Math.max(largestMb ?? 0, totalAnonMb(await service.usage()) ?? 0) || null;
    await sign(floorBatch);
    const beforeFloor = await usageOfAll(scene);
    bare.push(await send(floorPort));
    const afterFloor = await usageOfAll(scene);
    cpuOfCreates = cpuPerPiece(beforeCreates, afterCreates, serviceBatch);
    cpuOfFloor = cpuPerPiece(beforeFloor, afterFloor, floorBatch);
  }
  const latencies = taken.flatMap((volley) => volley.latencies).sort((a, b) => a - b);
  return {
    measurements: [
      measurement({
        name: 'create',
        value: rateOf(taken),
        unit: 'creates/s',
        floor: rateOf(bare),
        anon_mb: largestMb,
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

export function refuseOthersThan202({ statuses }: Volley): void {
  const others = Object.keys(statuses).filter((status) => status !== '202');
  if (others.length > 0)
    throw new Error(`creates were answered ${JSON.stringify(statuses)}: nothing was measured`);
}

export function cpuShare(volleys: readonly Volley[]): string {
  const share = sum(volleys, (v) => v.cpuSeconds) / sum(volleys, (v) => v.seconds);
  return `${Math.round(share * 100)} %`;
}

function rateOf(volleys: readonly Volley[]): number {
  return sum(volleys, (v) => v.answered) / sum(volleys, (v) => v.seconds);
}

function sum(volleys: readonly Volley[], of: (volley: Volley) => number): number {
  return volleys.reduce((total, volley) => total + of(volley), 0);
}
