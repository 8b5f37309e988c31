import pg from 'pg';
import { freePort, type ServerProcess } from '#infra/local-servers';
import { postedMinor } from '../load/collection-requests.js';
import { type Ledger } from '../load/lifecycles.js';
import { type Fixture } from './fixture.js';
import { startNode } from './node-process.js';
import { type Merchant } from './service.js';
import { usageOf } from './usage.js';

export type Peer = Ledger & { stop(): Promise<void> };

/**
 * Starts the hand-written ledger on a database of its own, with a simulator of its own, because a new token invalidates
 * the one before.
 */
export async function startPeer(
  fixture: Fixture,
  by: 'row' | 'group',
  merchant: Merchant,
): Promise<Peer> {
  const folder = await fixture.folder(`peer-${by}`);
  const [port, railPort] = [await freePort(), await freePort()];
  const [postgres, redis] = [await fixture.postgres(), await fixture.redis()];
  const databaseUrl = await fixture.database(`peer_${by}`);
  const simulator = await startNode(fixture, {
    name: `daraja-simulator-${by}`,
    module: 'apps/daraja-simulator/src/main',
    folder,
    env: { SIMULATOR_PORT: String(railPort), DATA_DIR: folder, LOG_LEVEL: 'warn' },
    port: railPort,
    isFloor: true,
  });
  const server = await startNode(fixture, {
    name: `peer-${by}`,
    module: 'bench/peers/ledger-server',
    folder,
    env: {
      PORT: String(port),
      COMMIT: by,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      RAIL_URL: `http://127.0.0.1:${railPort}`,
      PUBLIC_KEY_PEM: merchant.publicKeyPem,
      ACCESS_TOKEN: merchant.accessToken,
    },
    port,
    isFloor: true,
  });
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const processes: ServerProcess[] = [server, simulator];
  return {
    port,
    posted: () => postedOf(database, merchant.accountNo),
    lagSeconds: () => Promise.resolve(0),
    usage: () =>
      usageOf({
        peer: server.pid,
        simulator: simulator.pid,
        postgres: postgres.pid,
        redis: redis.pid,
      }),
    stop: async () => {
      await database.end();
      for (const process of processes) await process.stop();
    },
  };
}

async function postedOf(database: pg.Client, accountNo: string): Promise<number> {
  const { rows } = await database.query<{ minor: string }>(
    'select coalesce(sum(amount_minor), 0)::text as minor from balances where account = $1',
    [`wallet:${accountNo}`],
  );
  return Number(BigInt(rows[0]?.minor ?? '0') / postedMinor);
}
