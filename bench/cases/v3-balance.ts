import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { viewSchema } from '#views/view-set';
import pg from 'pg';
import { freePort } from '#infra/local-servers';
import { cpuShare, rateOf, refuseOthersThan, secondsOf } from '../load/bursts.js';
import { LoadGenerator } from '../load/generator.js';
import { type Burst } from '../load/protocol.js';
import {
  type BenchCase,
  type Conditions,
  type Findings,
  type Measurement,
  measurement,
} from '../measurement.js';
import { type Fixture } from '../servers/fixture.js';
import { startNode } from '../servers/node-process.js';
import { type Service, startService } from '../servers/service.js';
import { totalAnonMb } from '../servers/usage.js';

/** The number of legs posted to the account's wallet before its balance is requested. */
const sizes = [
  { label: '0', postings: 0 },
  { label: '1m', postings: 1_000_000 },
] as const;
const connections = 32;
const batch = 4000;
const warmUp = 4000;
const maxBurstMs = 60_000;

interface V3Caller {
  readonly consumerKey: string;
  readonly privateKeyPem: string;
}

/** V3 balances compared with an empty route behind the same guard, in turns. */
export const v3Balance: BenchCase = {
  name: 'v3-balance',
  seconds: 10,
  about:
    'Signed V3 balances a second, 32 in flight, with no posting and with 1 million, against the same server and guard with an empty route behind them, by turns.',
  run: measure,
};

async function measure({ fixture, seconds }: Conditions): Promise<Findings> {
  const service = await startService(fixture, {});
  const load = new LoadGenerator();
  const floorPort = await freePort();
  try {
    const folder = await fixture.folder('floor');
    const caller = await issueV3(service, folder);
    const floor = await startNode(fixture, {
      name: 'empty-v3-route',
      module: 'bench/floors/empty-v3-route',
      folder,
      env: { ...service.env, PORT: String(floorPort) },
      port: floorPort,
      isFloor: true,
    });
    try {
      return await measureAll({ fixture, service, caller, load, floorPort }, seconds);
    } finally {
      await floor.stop();
    }
  } finally {
    load.stop();
    await service.stop();
  }
}

interface Scene {
  readonly fixture: Fixture;
  readonly service: Service;
  readonly caller: V3Caller;
  readonly load: LoadGenerator;
  readonly floorPort: number;
}

async function measureAll(scene: Scene, seconds: number): Promise<Findings> {
  const { fixture, service, caller, floorPort } = scene;
  const { accountNo } = service.merchant;
  const balance = {
    port: service.port,
    bytes: request(caller, `/v3/account/balance/KE/${accountNo}/KES?live=0`, `KE${accountNo}KES`),
  };
  const empty = { port: floorPort, bytes: request(caller, '/v3/empty', 'empty') };
  const measurements: Measurement[] = [];
  const notes: string[] = [];
  for (const { label, postings } of sizes) {
    await postTo(service, fixture.scaled(postings));
    for (const to of [balance, empty]) await send(scene, to, fixture.scaled(warmUp));
    const [taken, bare]: [Burst[], Burst[]] = [[], []];
    while (secondsOf(taken) < seconds / sizes.length) {
      taken.push(await send(scene, balance, fixture.scaled(batch)));
      bare.push(await send(scene, empty, fixture.scaled(batch)));
    }
    measurements.push(
      measurement({
        name: `v3_balance_${label}`,
        value: rateOf(taken),
        unit: 'balances/s',
        floor: rateOf(bare),
        anon_mb: totalAnonMb(await service.usage()),
      }),
    );
    notes.push(
      `v3-balance: at ${label} postings, ${connections} in flight; the load generator took ${cpuShare(taken)} of a processor (${cpuShare(bare)} at the floor)`,
    );
  }
  return { measurements, notes };
}

/** V3 has no nonce, so one signed request may be sent again and again. */
function request({ consumerKey, privateKeyPem }: V3Caller, target: string, text: string): Buffer {
  const signature = sign('sha256', Buffer.from(text), createPrivateKey(privateKeyPem));
  const lines = [
    `GET ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    `X-Consumer-Key: ${consumerKey}`,
    `Signature: ${signature.toString('base64')}`,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

async function send(
  { load }: Scene,
  { port, bytes }: { readonly port: number; readonly bytes: Buffer },
  times: number,
): Promise<Burst> {
  await load.repeat(bytes, times);
  const burst = await load.send({ port, connections, withinMs: maxBurstMs });
  refuseOthersThan([200], burst);
  return burst;
}

async function issueV3(service: Service, folder: string): Promise<V3Caller> {
  const { publicKey, privateKey: privateKeyPem } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const file = join(folder, 'v3-public.pem');
  await writeFile(file, publicKey);
  const issued = await service.operate(
    ...['credential', 'issue', '--kind', 'v3', '--merchant', service.merchant.merchantId],
    ...['--holder', 'bench', '--public-key', file],
  );
  const caller = { consumerKey: issued['consumer_key'] ?? '', privateKeyPem };
  await untilKnown(service, caller);
  return caller;
}

async function untilKnown({ port, merchant }: Service, caller: V3Caller): Promise<void> {
  const text = `KE${merchant.accountNo}KES`;
  const signature = sign('sha256', Buffer.from(text), createPrivateKey(caller.privateKeyPem));
  const headers = {
    'x-consumer-key': caller.consumerKey,
    signature: signature.toString('base64'),
  };
  const url = `http://127.0.0.1:${port}/v3/account/balance/KE/${merchant.accountNo}/KES?live=0`;
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    if ((await fetch(url, { headers })).ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the API never accepted the V3 credential');
}

/** Puts legs only into the views, because the measured call reads nothing else. */
async function postTo({ databaseUrl, merchant }: Service, postings: number): Promise<void> {
  if (postings === 0) return;
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const wallet = `wallet:${merchant.accountNo}`;
  try {
    await database.query(`set search_path to ${viewSchema()}`);
    await database.query(
      `insert into ledger_entries select n, 0, gen_random_uuid(), 's-' || n, 'demo', 'KES', $1, 100, now()
         from generate_series(1, $2::int) n`,
      [wallet, postings],
    );
    await database.query(`insert into balances values ('demo', 'KES', $1, $2, 0)`, [
      wallet,
      postings * 100,
    ]);
    await database.query('analyze ledger_entries, balances');
  } finally {
    await database.end();
  }
}
