import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  Backoff,
  bearerSeal,
  type DuePayoutQuery,
  type PayoutQueries,
  PayoutQueryStep,
  PayoutRails,
  QueryThrottle,
  type RailAnswers,
  RailFloats,
  RailTable,
  RailWorkOptions,
  type CallbackKeys,
  type Inbox,
  PayoutQuestions,
} from '#edges/rails';
import { RailTokenCache, RedisStore } from '#infra/redis';
import { createLogger, Metrics, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { redisNamespace } from '#testing';
import {
  error,
  FakeDaraja,
  json,
  type Script,
  subscribers,
} from '../../../../test/rail/fake-daraja.js';
import { payoutSettings, settingsAt } from '../test/daraja-settings.js';
import { DarajaRail } from './daraja-rail.js';

const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
const clock = new SystemClock();
const timer = new SystemTimer();
const redis = new RedisStore({
  ...redisNamespace(),
  logger: createLogger({ app: 'tests', level: 'fatal' }),
});
const daraja = new FakeDaraja();
/** The number of tokens fetched; only the last one is valid. */
let fetched = 0;
let adapter: DarajaRail;

const forTheLastToken =
  (script: Script): Script =>
  (response, request) => {
    const isGood = request.headers.authorization === `Bearer token-${fetched}`;
    (isGood ? script : error(401, '404.001.03'))(response, request);
  };

beforeAll(async () => {
  Logger.overrideLogger(false);
  await redis.start();
  daraja.tokens((response, request) => {
    fetched += 1;
    json(200, { access_token: `token-${fetched}`, expires_in: '3599' })(response, request);
  });
  daraja.pushes(forTheLastToken(json(200, { ResponseCode: '0', CheckoutRequestID: 'ws_CO_1' })));
  // An app for which Transaction Status is not enabled.
  daraja.scripts.set('/mpesa/transactionstatus/v1/query', [error(401, '404.001.03')]);
  const url = `http://127.0.0.1:${await daraja.listen()}`;
  adapter = new DarajaRail({
    rails: { demo: { ...settingsAt(url), payouts: payoutSettings }, live: undefined },
    subscribers,
    clock,
    timer,
    pushTimeoutMs: 60_000,
    metrics: new Metrics(),
    tokens: (options) => new RailTokenCache(redis, options, bearerSeal(keyring)),
  });
});
afterAll(async () => {
  await adapter.close();
  await daraja.close();
  await redis.close();
  Logger.overrideLogger(true);
});

it('an endpoint that refuses every token ends no token of the others', async () => {
  const metrics = new Metrics();
  const rails = new PayoutRails([adapter], {
    baseUrl: 'https://pay.example',
    keyring,
    ids: new UuidIds(),
    clock,
    metrics,
    floats: new RailFloats(redis, clock),
    answers: undefined as unknown as RailAnswers,
  });
  const due = Array.from({ length: 16 }, (_, at): DuePayoutQuery => {
    const of = { stream: `payout-demo:m1:${at}`, mode: 'demo', channel: 'mpesa' } as const;
    return { ...of, originatorConversationId: `pp-${at}`, isExtra: false, asked: 0 };
  });
  const queries = {
    due: () => Promise.resolve(due),
    lease: () => Promise.resolve(true),
    giveBack: () => Promise.resolve(),
  } as unknown as PayoutQueries;
  const options = new RailWorkOptions({ queryDelaysMs: [], pushTimeoutMs: 1, reviewAfterMs: 1 });
  const backoff = new Backoff(timer, options);
  const throttle = new QueryThrottle(clock, backoff, new RailTable([adapter]), metrics);
  // Daraja answers by callback, so nothing is put into the inbox here.
  const questions = new PayoutQuestions(rails, {} as Inbox, {} as CallbackKeys);
  const step = new PayoutQueryStep(queries, questions, clock, throttle);
  const begunMs = performance.now();
  const asked = () => daraja.seen.filter(({ path }) => path.includes('transactionstatus'));
  const seconds = () => (performance.now() - begunMs) / 1000;
  const isOver = () => seconds() > 60 || (seconds() > 5 && asked().length > 8);
  const asking = (async () => {
    while (!isOver()) {
      await step.step();
      await sleep(20);
    }
  })();
  const outcomes = new Map<string, number>();
  while (!isOver()) {
    const prompt = { mode: 'demo', phone: '254712345678', amountMinor: 10_000n } as const;
    const pushed = await adapter.push({
      ...prompt,
      accountReference: '0123456789AB',
      callbackUrl: 'https://pay.example/rails/x',
    });
    outcomes.set(pushed.kind, (outcomes.get(pushed.kind) ?? 0) + 1);
    await sleep(5);
  }
  await asking;
  expect(asked().length).toBeGreaterThan(8);
  expect([...outcomes.keys()]).toEqual(['accepted']);
  // A token is fresh for ten seconds.
  expect(fetched).toBeLessThanOrEqual(2 + seconds() / 10);
  // The rail is not overloaded either: each question is tried twice.
  expect(asked().length).toBeLessThan(2 * 8 + (2 * 8 * seconds()) / 5);
});
