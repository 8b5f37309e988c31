import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { DependencyUnavailable } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import {
  eventually,
  merchantId,
  onboarded,
  type ThrowAwayDatabase,
  throwAwayDatabase,
} from '#testing';
import { credentialsChannel } from '#views/merchants';
import { applyBatch } from '#views/projection';
import { createViews, noteFresh } from '#views/view-set';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ProjectedPayoutTerms } from './payout-terms.js';

const schema = 'views_spec_1';
const log = onboarded();

let server: ThrowAwayDatabase;
let database: Database;
let statements = 0;

beforeAll(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, schema);
  database = server.database.beside({ searchPath: [schema] });
  await database.transaction((transaction) => applyBatch(transaction, log.events));
  const query = database.query.bind(database);
  database.query = (...statement) => {
    statements += 1;
    return query(...statement);
  };
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

it('payout terms are read once for many calls, separately per mode, and again after an operator changes them', async () => {
  const terms = await ProjectedPayoutTerms.open(database);
  await expect(terms.termsOf(merchantId, 'demo')).rejects.toThrow('first build');
  await noteFresh(database, 0n, new Date());
  await expect(terms.termsOf(merchantId, 'demo')).resolves.toEqual({
    automaticMaxMinor: 0n,
    automaticPerDayMinor: 0n,
    timezone: 'Africa/Nairobi',
  });

  statements = 0;
  const asked = Array.from({ length: 100 }, () => terms.termsOf(merchantId, 'demo'));
  await Promise.all(asked);
  // An entry that was read long enough is read again meanwhile.
  expect(statements).toBeLessThanOrEqual(1);

  const changed = log.append<MerchantEvent>(
    merchantStream(merchantId),
    { type: 'LimitsSet', data: { mode: 'demo', maxMinor: 500n } },
    { type: 'DestinationsSet', data: { mode: 'live', destinations: [] } },
  );
  const announced = Promise.withResolvers<unknown>();
  await database.listen(credentialsChannel, (id) => {
    if (id === merchantId) announced.resolve(id);
  });
  await database.transaction((transaction) => applyBatch(transaction, changed));
  await announced.promise;
  await expect(terms.termsOf(merchantId, 'demo')).resolves.toMatchObject({ maxMinor: 500n });
  await expect(terms.termsOf(merchantId, 'live')).resolves.toMatchObject({
    destinations: new Set(),
  });
});

it('payout terms are not returned while their merchant’s own stream is quarantined', async () => {
  const terms = await ProjectedPayoutTerms.open(database);
  await server.database.query(`update ${schema}.checkpoint set quarantined = 2`);
  const stop = (scope: string) =>
    server.database.query(
      `insert into ${schema}.quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
         values ($1, $2, 1, 's', 'LimitsSet', gen_random_uuid(), now(), 'spec', 0)`,
      [merchantId, scope],
    );
  await stop('demo');
  await expect(terms.termsOf(merchantId, 'demo')).resolves.toMatchObject({ maxMinor: 500n });
  await stop('merchant');
  for (const mode of ['demo', 'live'] as const)
    await eventually(
      () => terms.termsOf(merchantId, mode).catch((error: unknown) => error),
      (error) => error instanceof DependencyUnavailable && error.code === 'merchant_quarantined',
    );
});
