import { createPrivateKey, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from '@jest/globals';
import { Module, type Provider, type Type } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PostingProofs } from '#domain/audit';
import { Rail } from '#domain/rails';
import { CollectionInitiationModule, CollectionsModule, PhoneVault } from '#domain/collections';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { createHttpApp } from '#shared/http';
import { Clock, Ids, Timer } from '#domain/kernel';
import { MerchantDirectory } from '#domain/merchants';
import { RecordedCredentialSecrets } from '#records/credentials';
import { Database, ReadDatabase } from '#infra/postgres';
import { CachedMerchantDirectory } from '#views/merchants';
import { createViews, viewSchema } from '#views/view-set';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import {
  type MemoryLog,
  redisNamespace,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { ApiV4Module, ApiV4Options } from '../src/index.js';
import { Accepting, account, LimitsOnly, NoPayoutPhones, PayoutLimitsOnly } from './ports.js';
import { PayoutPhones, PayoutRail } from '#domain/payouts';

const vectors = JSON.parse(
  readFileSync(new URL('../../../shared/signing/vectors.json', import.meta.url), 'utf8'),
) as { public_key_pem: string; private_key_pem: string };

/** The key that signs for every credential of `issueCredential`. */
export const privateKey = createPrivateKey(vectors.private_key_pem);

const keyring = Keyring.from([{ id: 'k', bytes: randomBytes(32) }]);

/** An address that is on every credential's list. */
export const allowedAddress = '198.51.100.7';

/** The V4 edge on real Postgres and Redis, with one merchant and one account in the views. */
export async function startEdge(
  database: Database,
  redis: RedisStore,
  log?: MemoryLog,
  payouts?: PayoutParts,
): Promise<NestFastifyApplication> {
  await createViews(database, viewSchema());
  const { merchantId, accountNo } = account;
  await database.query(`insert into merchants values ($1, 'Duka', 'Africa/Nairobi', 'KE')`, [
    merchantId,
  ]);
  await database.query(`insert into accounts values ($1, $2, 'demo', 'KES', 1)`, [
    accountNo,
    merchantId,
  ]);
  const app = await createHttpApp(edgeOver(database, redis, log, payouts), {
    trustedProxies: ['127.0.0.1'],
    logger: createLogger({ app: 'test', level: 'silent' }),
    metrics: new Metrics(),
  });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  return app;
}

/**
 * Starts the edge for a spec's tests, on a database of its own, and stops it after them.
 * @param started called with the edge before the first test
 */
export function useEdge(
  started: (app: NestFastifyApplication, postgres: ThrowAwayDatabase) => void | Promise<void>,
  log?: MemoryLog,
  payouts?: PayoutParts,
): void {
  let postgres: ThrowAwayDatabase;
  let redis: RedisStore;
  let app: NestFastifyApplication;
  beforeAll(async () => {
    postgres = await throwAwayDatabase({ searchPath: [viewSchema()] });
    const logger = createLogger({ app: 'test', level: 'silent' });
    redis = new RedisStore({ ...redisNamespace(), logger });
    await redis.start();
    app = await startEdge(postgres.database, redis, log, payouts);
    await started(app, postgres);
  });
  afterAll(async () => {
    await app.close();
    await redis.close();
    await postgres.drop();
  });
}

/** Without a log, only its end can be asked for. */
function logProviders(log: MemoryLog | undefined) {
  if (!log)
    return [{ provide: EventStore, useValue: { head: () => Promise.resolve(0n) } as never }];
  return [
    { provide: EventStore, useValue: log },
    { provide: Pipeline, useValue: new Pipeline(log, new UuidIds()) },
  ];
}

/** The subject of payouts, and the stand-ins for its ports. */
export interface PayoutParts {
  readonly modules: readonly Type[];
  readonly providers: readonly Provider[];
}

/**
 * @param log given if collections can be created
 * @param payouts given if payouts can be requested
 */
function edgeOver(database: Database, redis: RedisStore, log?: MemoryLog, payouts?: PayoutParts) {
  const rate = { limit: 10_000, intervalMs: 1000, burst: 10_000 };
  const providers = [
    { provide: Clock, useValue: new SystemClock(0) },
    { provide: Timer, useValue: new SystemTimer() },
    { provide: Ids, useValue: new UuidIds() },
    { provide: Database, useValue: database },
    { provide: ReadDatabase, useValue: database },
    { provide: RedisStore, useValue: redis },
    { provide: Keyring, useValue: keyring },
    { provide: ApiV4Options, useValue: new ApiV4Options(rate, 3_600_000, undefined) },
    ...logProviders(log),
    { provide: PhoneVault, useValue: { tracesOf: () => ({ phoneHmac: '', phoneMasked: '' }) } },
    { provide: MerchantDirectory, useValue: new CachedMerchantDirectory(database) },
    { provide: Rail, useValue: log ? new Accepting() : new LimitsOnly() },
    { provide: PayoutRail, useValue: new PayoutLimitsOnly() },
    { provide: PayoutPhones, useValue: new NoPayoutPhones() },
    { provide: PostingProofs, useValue: { ofStream: () => ({ postings: [], head: undefined }) } },
    ...(payouts?.providers ?? []),
  ];
  @Module({ providers, exports: providers })
  class Servers {}
  @Module({
    imports: [
      { module: Servers, global: true },
      ...(log ? [CollectionsModule, CollectionInitiationModule] : []),
      ...(payouts?.modules ?? []),
      ApiV4Module,
    ],
  })
  class Edge {}
  return Edge;
}

/** Makes the secrets as the operator's commands use them. */
export function credentialSecrets(database: Database): RecordedCredentialSecrets {
  return new RecordedCredentialSecrets(database, keyring);
}

/** Makes a credential as the operator's command and the projector leave it. */
export async function issueCredential(
  database: Database,
  holder = 'till',
): Promise<{ id: string; clientId: string; clientSecret: string }> {
  const id = randomUUID();
  const { clientId, clientSecret } = await credentialSecrets(database).issue(id);
  await database.query(
    `insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, public_key_pem,
       ip_ranges, revoked)
     values ($1, $2, 'v4', 'demo', $6, $3, $4, $5, false)`,
    [id, account.merchantId, clientId, vectors.public_key_pem, ['198.51.100.0/24'], holder],
  );
  return { id, clientId, clientSecret };
}

/** Asks for a token. */
export function askToken(
  app: NestFastifyApplication,
  client: { readonly clientId: string; readonly clientSecret: string },
  {
    address = allowedAddress,
    form = 'grant_type=client_credentials',
    type = 'application/x-www-form-urlencoded',
  } = {},
) {
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  return app.inject({
    method: 'POST',
    url: '/api/v4/oauth/token',
    remoteAddress: address,
    headers: { authorization: `Basic ${basic}`, 'content-type': type },
    payload: form,
  });
}

/** Sets the time at which the views had the whole log to this long ago, or to never. */
export async function viewsAre(database: Database, age: string | null): Promise<void> {
  await database.query(`update checkpoint set fresh_at = now() - $1::interval`, [age]);
}
