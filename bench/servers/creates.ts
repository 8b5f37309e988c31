import { freePort } from '#infra/local-servers';
import { refuseOthersThan } from '../load/bursts.js';
import { LoadGenerator } from '../load/generator.js';
import { type Burst, type Shot } from '../load/protocol.js';
import { type Fixture } from './fixture.js';
import { startNode } from './node-process.js';
import { untilCaughtUp } from './projection.js';
import { createCalls } from '../load/collection-requests.js';
import { type Service, startService } from './service.js';
import { type Spent, spentBetween, type Usage, usageOf } from './usage.js';

/** Compilers and caches have seen this many before the measurement. */
const warmUp = 8000;
const warmUpConnections = 64;
const maxBurstMs = 240_000;

/** No customer answers while creates are measured; `lifecycle` measures what happens then. */
const settings = { SIMULATOR_DELAY: '12h', RAIL_QUERY_DELAYS: '24h' };

/** A burst, and its processor time until no work of it was left. */
export interface Turn {
  readonly burst: Burst;
  readonly spent: Spent;
}

/** A server that takes creates: the service, or a bare server that is its floor. */
export type Taker = 'service' | 'floor';

/** The service and its floor side by side, both warm, with a generator that sends creates to them in turns. */
export class Creates {
  private constructor(
    readonly service: Service,
    private readonly load: LoadGenerator,
    private readonly floor: { readonly port: number; readonly pid: number },
  ) {}

  /** Starts all of it, runs `work`, and stops it. */
  static async during<T>(fixture: Fixture, work: (creates: Creates) => Promise<T>): Promise<T> {
    const service = await startService(fixture, settings);
    const load = new LoadGenerator();
    try {
      const port = await freePort();
      const floor = await startNode(fixture, {
        name: 'bare-create-server',
        module: 'bench/floors/bare-create-server',
        folder: await fixture.folder('floor'),
        env: {
          PORT: String(port),
          DATABASE_URL: service.databaseUrl,
          REDIS_URL: (await fixture.redis()).url,
          PUBLIC_KEY_PEM: service.merchant.publicKeyPem,
        },
        port,
        isFloor: true,
      });
      try {
        const creates = new Creates(service, load, { port, pid: floor.pid });
        for (const taker of ['service', 'floor'] as const)
          await creates.send(taker, fixture.scaled(warmUp), { connections: warmUpConnections });
        return await work(creates);
      } finally {
        await floor.stop();
      }
    } finally {
      load.stop();
      await service.stop();
    }
  }

  /**
   * Signs this many creates and sends them, after all earlier work is done.
   * @throws if one was not taken
   */
  async send(
    taker: Taker,
    count: number,
    how: Pick<Shot, 'connections' | 'perSecond'>,
  ): Promise<Turn> {
    const { merchant, port } = this.service;
    await this.load.sign(merchant, createCalls(count, merchant.accountNo));
    const before = await this.usage();
    const burst = await this.load.send({
      port: taker === 'service' ? port : this.floor.port,
      withinMs: maxBurstMs,
      ...how,
    });
    refuseOthersThan([202], burst);
    if (taker === 'service') await untilCaughtUp(this.service);
    return { burst, spent: spentBetween(before, await this.usage()) };
  }

  private async usage(): Promise<ReadonlyMap<string, Usage>> {
    const floor = await usageOf({ 'bare-server': this.floor.pid });
    return new Map([...(await this.service.usage()), ...floor]);
  }
}
