import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type Child,
  eventually,
  type MerchantClient,
  type OwnServers,
  pesapost,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { viewSchema } from '#views/view-set';
import { issueCaller, readOf, send } from '../e2e/v4-request.js';
import { PgBouncer } from '../servers/pgbouncer.js';
import { expectAgreement, settled } from './agreed.js';
import { underLoad } from './load.js';
import { asked } from './postgres-backup.js';
import { WebhookEndpoint } from './webhook-flow.js';

/** Two of each process behind a PgBouncer in transaction mode, which has four sessions of Postgres for each role. */
let servers: OwnServers;
let pooler: PgBouncer;
let service: Service;
let endpoint: WebhookEndpoint;
let merchants: readonly [MerchantClient, MerchantClient];
const references: string[] = [];

const urlOf = ({ ports }: Child): string => `http://127.0.0.1:${String(ports.port)}`;

beforeAll(async () => {
  servers = await startOwnServers();
  pooler = await PgBouncer.start(servers.env.DATABASE_URL);
  service = await startService({
    ...servers.env,
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: servers.env.DATABASE_URL,
    WEBHOOK_ALLOW_PRIVATE: 'on',
  });
  const [api] = await Promise.all(
    (['api', 'worker', 'projector'] as const).map((app) => service.startReplica(app)),
  );
  if (!api) throw new Error('no second API');
  merchants = [service.merchant, service.merchant.at(urlOf(api))];
  endpoint = await WebhookEndpoint.open(service);
}, 900_000);
afterAll(async () => {
  endpoint.close();
  await service.stop();
  await pooler.stop();
  await servers.stop();
});

/** Settings of the sessions that the pooler holds, as its other clients would get them. */
async function leftInSessions(): Promise<readonly string[]> {
  const settings = `
    select current_setting('search_path') as path, current_setting('statement_timeout') as timeout,
      current_setting('pesapost.clock_offset_ms', true) as offset,
      (select count(*)::int from pg_prepared_statements) as prepared, pg_sleep(0.05)`;
  const all = await Promise.all(
    Array.from({ length: 8 }, () => pooler.asked((client) => client.query(settings))),
  );
  const found = all.map(({ rows: [row] }) => {
    const { path, timeout, offset, prepared } = row as Record<string, unknown>;
    return JSON.stringify({ path, timeout, isOffset: Boolean(offset), prepared });
  });
  return [...new Set(found)];
}

const untouched = JSON.stringify({
  path: '"$user", public',
  timeout: '0',
  isOffset: false,
  prepared: 0,
});

async function paid(reference: string): Promise<void> {
  references.push(reference);
  const [one, other] = merchants;
  const key = `key-${reference}`;
  expect((await one.collect({ reference }, key)).status).toBe(202);
  const again = await other.collect({ reference }, key);
  expect([again.status, again.headers.get('x-pp-existing')]).toEqual([202, 'true']);
  await eventually(
    () => other.get(`/api/v4/collections/${reference}`),
    ({ body }) => body['status'] === 'completed',
  );
}

it('collections, repeats, lists and webhooks are as without it, and no session keeps a setting', async () => {
  for (let index = 0; index < 5; index += 1) await paid(`pooled-${index}`);
  for (const merchant of merchants) {
    const { body } = await eventually(
      () => merchant.get('/api/v4/transactions?status=completed&limit=100'),
      (answer) => (answer.body['data'] as unknown[] | undefined)?.length === references.length,
    );
    const listed = (body['data'] as { reference: string }[]).map(({ reference }) => reference);
    expect(listed.sort()).toEqual([...references].sort());
  }
  await eventually(
    () => Promise.resolve(references.filter((reference) => !endpoint.told.has(reference))),
    (missing) => missing.length === 0,
  );
  expect(await leftInSessions()).toEqual([untouched]);
});

it('a revoked credential ends at both replicas: their listening connections bypass the pooler', async () => {
  const caller = await issueCaller(service, { ips: '127.0.0.1', from: '127.0.0.1' });
  const statuses = (): Promise<number[]> =>
    Promise.all(
      merchants.map(async ({ baseUrl }) => {
        const { status } = await send(baseUrl, readOf(caller, '/api/v4/transactions'));
        return status;
      }),
    );
  await eventually(statuses, (all) => all.every((status) => status === 200));
  const { merchantId } = service.merchant.credentials;
  await pesapost(
    service.env,
    ...['credential', 'revoke', caller.credentialId, '--merchant', merchantId],
    ...['--reason', 'laptop lost', '--as', 'spec'],
  );
  await eventually(statuses, (all) => all.every((status) => status === 401), { withinMs: 30_000 });
});

it('a replay builds, compares and swaps a set of views under load', async () => {
  const load = await underLoad({ name: 'replayed', forMs: 6_000, clients: 4, merchants }, () =>
    service.runCommand(['replay', '--json']).then(({ code, text }) => {
      expect(JSON.parse(text.split('\n').at(-1) ?? '')).toMatchObject({ swapped: true });
      expect(code).toBe(0);
    }),
  );
  references.push(...load.references);
});

it('killed under load and started again, it loses nothing, and all comes back by itself', async () => {
  const { references: made } = await underLoad(
    { name: 'killed', forMs: 8_000, clients: 4, merchants },
    async () => {
      for (let kills = 0; kills < 2; kills += 1) {
        await pooler.kill();
        await sleep(1_500);
        await pooler.start();
        await sleep(1_000);
      }
    },
  );
  references.push(...made);
  expectAgreement(await settled(service, references), references);
  const completed = await asked(servers.env.DATABASE_URL, (client) =>
    client.query<{ reference: string }>(
      `select reference from ${viewSchema()}.transactions where status = 'completed'`,
    ),
  );
  await eventually(
    () => Promise.resolve(completed.rows.filter(({ reference }) => !endpoint.told.has(reference))),
    (missing) => missing.length === 0,
  );
  expect(await leftInSessions()).toEqual([untouched]);
});
