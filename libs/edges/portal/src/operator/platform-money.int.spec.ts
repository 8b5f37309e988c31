import { createLogger, SystemClock } from '#infra/runtime';
import { History, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { databaseNow, noteFresh } from '#views/view-set';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MerchantPagesOptions } from '../merchant/options.js';
import { PortalOptions } from '../portal-options.js';
import { PlatformMoneyReader } from './platform-money.js';

let server: ThrowAwayDatabase;
let history: History;
beforeAll(async () => {
  server = await throwAwayDatabase();
  history = await History.begin(server);
});
afterAll(async () => {
  await history.database.close();
  await server.drop();
});

it('adds up all merchants in live mode, or in demo mode while live mode has no payment (POR-116)', async () => {
  const logger = createLogger({ app: 'spec', level: 'silent' });
  const money = new PlatformMoneyReader(
    history.database,
    new PortalOptions('https://pay.example', undefined, 'Africa/Nairobi'),
    new MerchantPagesOptions(3_600_000, logger, '2026-01-01'),
    new SystemClock(),
  );
  const project = async (): Promise<void> => {
    await history.project();
    await noteFresh(history.database, 0n, await databaseNow(history.database));
  };
  await project();
  expect(await money.read()).toEqual({ mode: 'live', figures: [] });
  history.pay(await history.intend('one'));
  history.pay(await history.intend('two', 'm-2'));
  await project();
  const { mode, figures } = await money.read();
  expect(mode).toBe('demo');
  expect(figures).toMatchObject([{ currency: 'KES', now: { collectedCount: 2n, finished: 2n } }]);
  await history.database.query(
    `insert into day_figures
     select '', 'live', '', day, currency, type, status, failure_code, under_review, 7, 700, 7
     from day_figures where merchant_id = '' and mode = 'demo'`,
  );
  const live = await money.read();
  expect(live.mode).toBe('live');
  expect(live.figures).toMatchObject([{ now: { collectedMinor: 700n } }]);
});
