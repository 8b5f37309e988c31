import { bodyBytes, createHttpApp, readBody, WithoutAuthentication } from '#shared/http';
import { Clock, type Instant, msFromInstant } from '#domain/kernel';
import { listV3Calls, listV3CheckoutLinks, listV3CountedDays } from '#records/v3-usage';
import { Database } from '#infra/postgres';
import { applyBatch } from '#views/projection';
import { createViews, viewSchema } from '#views/view-set';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics } from '#infra/runtime';
import {
  eventually,
  HandMadeLog,
  redisNamespace,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { type RetirementEvent, retirementStream } from '#domain/v3-retirement';
import { Controller, Get, Global, Module, Post, Req, Res } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { V3Gate, V3GateModule, V3GateOptions } from './index.js';

const gaDate = '2026-11-30';
const logger = createLogger({ app: 'spec', level: 'silent' });

class MovableClock extends Clock {
  instant = '2026-12-01T10:00:00.000Z' as Instant;
  nowMs(): number {
    return msFromInstant(this.instant);
  }
}

let pushes = 0;

@Controller()
@WithoutAuthentication('a specimen')
class Edge {
  constructor(private readonly gate: V3Gate) {}

  @Get(['v3/account/balance/:cc/:acc/:cur', 'api/v3/account/balance/:cc/:acc/:cur'])
  async balance(@Req() request: FastifyRequest) {
    const consumerKey = request.headers['x-consumer-key'];
    if (typeof consumerKey === 'string')
      await this.gate.admit(request, { merchantId: `of ${consumerKey}`, consumerKey });
    return { balance: '0.00' };
  }
  @Post('v3/collect/mpesa')
  collect() {
    pushes += 1;
    return {};
  }
  @Get('checkout')
  checkout(@Req() request: FastifyRequest) {
    const link = request.raw.url ?? '';
    if (link.includes('good'))
      this.gate.noteLink(request, {
        merchantId: 'duka',
        movable: link.includes('movable'),
        isFirstLook: !link.includes('again'),
      });
    return { page: true };
  }
  @Post('checkout')
  async form(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await readBody(request);
    const isPassed = this.gate.passForm(reply, bodyBytes(request).toString('latin1'));
    if (isPassed) void reply.code(303).send();
  }
  @Get('api/v4/thing')
  thing() {
    return {};
  }
}

let server: ThrowAwayDatabase;
let database: Database;
let redis: RedisStore;
let clock: MovableClock;
let app: NestFastifyApplication;
let baseUrl: string;

beforeEach(async () => {
  pushes = 0;
  server = await throwAwayDatabase();
  await createViews(server.database, viewSchema());
  database = server.database.beside({ searchPath: [viewSchema()] });
  const { url, prefix } = redisNamespace();
  redis = await RedisStore.open({ url, prefix, logger });
  clock = new MovableClock();
});
afterEach(async () => {
  await app.close();
  await redis.close();
  await database.close();
  await server.drop();
});

/** Marks the views as the projector does when they have the whole log. */
const viewsAreBuilt = () => database.query('update checkpoint set fresh_at = now()');

async function start(): Promise<void> {
  const rate = { limit: 2, intervalMs: 60_000, burst: 2 };
  const metrics = new Metrics();
  @Global()
  @Module({
    providers: [
      { provide: Database, useValue: database },
      { provide: RedisStore, useValue: redis },
      { provide: Clock, useValue: clock },
      { provide: Metrics, useValue: metrics },
      {
        provide: V3GateOptions,
        useValue: new V3GateOptions(gaDate, 'https://pay.example', rate, logger),
      },
    ],
    exports: [Database, RedisStore, Clock, Metrics, V3GateOptions],
  })
  class Fixture {}
  @Module({ imports: [Fixture, V3GateModule], controllers: [Edge] })
  class EdgeModule {}
  app = await createHttpApp(EdgeModule, { trustedProxies: [], logger, metrics });
  await app.listen(0, '127.0.0.1');
  baseUrl = await app.getUrl();
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(baseUrl + path, { method, headers });
const post = (path: string, body: string) =>
  fetch(baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
    redirect: 'manual',
  });
const balance = '/v3/account/balance/KE/1001/KES';

describe('every answer of V3', () => {
  it.each([
    ['GET', balance, 200],
    ['GET', `/api${balance}`, 200],
    ['GET', '/v3/account/%62alance/KE/1001/KES', 404],
    ['GET', '/%763/account/balance/KE/1001/KES', 404],
    ['GET', '/v3/unknown', 404],
    ['GET', '/api/v3', 404],
    ['GET', '/v3/%zz', 404],
    ['DELETE', balance, 405],
    ['GET', '/checkout?oid=1&hsh=x', 200],
    ['GET', '/checkout?oid=1&%68sh=x', 200],
  ])('carries the three headers: %s %s', async (method, path, status) => {
    await viewsAreBuilt();
    await start();
    const answer = await get(path, {}, method);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('deprecation')).toBe('@1795996800');
    expect(answer.headers.get('sunset')).toBe('Tue, 30 Nov 2027 00:00:00 GMT');
    expect(answer.headers.get('link')).toContain(
      '<https://pay.example/docs/v3>; rel="deprecation"',
    );
  });

  it.each(['/api/v4/thing', '/checkout?key_id=1&hash=x', '/v34', '/docs/v3'])(
    'has headers that no other answer has: %s',
    async (path) => {
      await viewsAreBuilt();
      await start();
      expect((await get(path)).headers.get('deprecation')).toBeNull();
    },
  );

  it.each([
    ['oid=1&hsh=x', '@1795996800'],
    ['oid=1&%68sh=x', '@1795996800'],
    ['oid=%zz&hsh=x', '@1795996800'],
    ['reference=1&hash=x', null],
    ['phone=0712345678&token=hsh', null],
  ])('carries them if the link comes as a form, and only then: %s', async (form, deprecation) => {
    await viewsAreBuilt();
    await start();
    const answer = await post('/checkout', form);
    expect([answer.status, answer.headers.get('deprecation')]).toEqual([303, deprecation]);
    expect(answer.headers.has('sunset')).toBe(deprecation !== null);
    expect(answer.headers.has('link')).toBe(deprecation !== null);
  });

  it('leads to a page that is there, with the dates of the phases and the guide', async () => {
    await viewsAreBuilt();
    await start();
    const page = await get('/docs/v3');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await page.text();
    for (const part of [
      'id="timetable"',
      '2027-02-28',
      '2027-08-30',
      '2027-11-30',
      'from V3 to V4',
    ])
      expect(text).toContain(part);
  });
});

describe('calls', () => {
  it('are counted once each, by merchant and route, unknown callers and unknown paths apart', async () => {
    await viewsAreBuilt();
    await start();
    for (let call = 0; call < 3; call += 1) await get(balance, { 'x-consumer-key': 'a' });
    await get(`/api${balance}`, { 'x-consumer-key': 'b' });
    await get(balance);
    await get('/v3/%zz');
    await get('/v3/unknown');
    await get('/checkout?good&hsh=x');
    await get('/checkout?good&movable&hsh=x');
    await get('/checkout?good&again&hsh=x');
    await get('/checkout?bad&hsh=x');
    await post('/checkout', 'good&hsh=x');
    await get('/api/v4/thing');
    const day = '2026-12-01';
    const rows = await eventually(
      () => listV3Calls(database, day),
      (calls) => calls.reduce((sum, row) => sum + row.calls, 0) === 10,
    );
    expect(rows.map(({ merchantId, route, calls }) => [merchantId, route, calls])).toEqual([
      ['', 'balance', 1],
      ['', 'checkout', 1],
      ['', 'other', 2],
      ['duka', 'checkout', 2],
      ['of a', 'balance', 3],
      ['of b', 'balance', 1],
    ]);
    expect(await listV3CheckoutLinks(database, day)).toEqual([
      { day, merchantId: 'duka', links: 2, movable: 1 },
    ]);
  });

  it('are counted on the day on which they came, and days without calls are counted days, too', async () => {
    await viewsAreBuilt();
    await start();
    await eventually(
      () => listV3CountedDays(database, '2026-12-01'),
      (days) => days.length === 1,
    );
    await get(balance, { 'x-consumer-key': 'a' });
    clock.instant = '2026-12-02T00:00:30.000Z' as Instant;
    await get(balance, { 'x-consumer-key': 'a' });
    const days = await eventually(
      () => listV3CountedDays(database, '2026-12-01'),
      (counted) => counted.length === 2,
    );
    expect(days).toEqual([
      { day: '2026-12-01', minutes: 840 },
      { day: '2026-12-02', minutes: 1 },
    ]);
    const calls = await listV3Calls(database, '2026-12-01');
    expect(calls.map(({ day, calls: count }) => [day, count])).toEqual([
      ['2026-12-01', 1],
      ['2026-12-02', 1],
    ]);
  });

  it('wait in memory while they cannot be written, and delay no caller', async () => {
    await viewsAreBuilt();
    await start();
    await database.query('alter table records.v3_calls rename to away');
    const before = performance.now();
    for (let call = 0; call < 20; call += 1) await get(balance, { 'x-consumer-key': 'a' });
    expect(performance.now() - before).toBeLessThan(60_000);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await database.query('alter table records.away rename to v3_calls');
    const rows = await eventually(
      () => listV3Calls(database, '2026-12-01'),
      (calls) => calls.length > 0,
    );
    expect(rows).toMatchObject([{ merchantId: 'of a', calls: 20 }]);
  });

  it('are written when the process ends, including the last ones', async () => {
    await viewsAreBuilt();
    await start();
    await get(balance, { 'x-consumer-key': 'a' });
    await app.close();
    expect(await listV3Calls(database, '2026-12-01')).toMatchObject([{ calls: 1 }]);
  });
});

describe('the rate of a consumer key', () => {
  it('ends at month 9 and not a millisecond before, for each key by itself', async () => {
    await viewsAreBuilt();
    await start();
    const statusesOf = async (consumerKey: string) => {
      const answers = [];
      for (let call = 0; call < 3; call += 1)
        answers.push(await get(balance, { 'x-consumer-key': consumerKey }));
      return answers.map(({ status }) => status);
    };
    clock.instant = '2027-08-29T23:59:59.999Z' as Instant;
    expect(await statusesOf('a')).toEqual([200, 200, 200]);
    clock.instant = '2027-08-30T00:00:00.000Z' as Instant;
    expect(await statusesOf('a')).toEqual([200, 200, 429]);
    expect(await statusesOf('b')).toEqual([200, 200, 429]);
    const limited = await get(balance, { 'x-consumer-key': 'a' });
    expect(await limited.json()).toEqual({ error: 'rate_limited' });
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    expect(limited.headers.get('deprecation')).toMatch(/^@/);
  });
});

describe('once V3 is retired', () => {
  const retired: RetirementEvent = { type: 'V3Retired', data: { callsInWindow: 1, threshold: 9 } };
  const retire = () =>
    database.transaction((transaction) =>
      applyBatch(transaction, new HandMadeLog().append(retirementStream, retired)),
    );

  it('every call soon answers 410, and its handler does not run', async () => {
    await viewsAreBuilt();
    await start();
    expect((await get('/v3/collect/mpesa', {}, 'POST')).status).toBe(201);
    await retire();
    const status = async () => (await get(balance)).status;
    await eventually(status, (seen) => seen === 410, { withinMs: 30_000, everyMs: 10 });
    for (const path of [
      '/v3/collect/mpesa',
      '/api/v3/nowhere',
      '/v3/%zz',
      `/%76${balance.slice(2)}`,
    ]) {
      const answer = await get(path, {}, 'POST');
      expect([path, answer.status]).toEqual([path, 410]);
      expect(await answer.json()).toEqual({ error: 'gone' });
      expect(answer.headers.get('sunset')).toMatch(/GMT$/);
    }
    expect(pushes).toBe(1);
    expect((await get('/api/v4/thing')).status).toBe(200);
    expect((await get('/checkout?hash=x')).status).toBe(200);
  });

  it('its checkout links lead to a page that says so', async () => {
    await viewsAreBuilt();
    await retire();
    await start();
    const page = await get('/checkout?good&hsh=x');
    expect(page.status).toBe(410);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await page.text();
    expect(text).toContain('This payment link no longer works');
    expect(text).toContain('lang="sw"');
  });

  it('the form of such a link leads to the same page, and the form of another link continues', async () => {
    await viewsAreBuilt();
    await retire();
    await start();
    const page = await post('/checkout', 'oid=1&hsh=x');
    expect(page.status).toBe(410);
    expect(page.headers.get('deprecation')).toMatch(/^@/);
    expect(await page.text()).toContain('This payment link no longer works');
    expect((await post('/checkout', 'reference=1&hash=x')).status).toBe(303);
  });
});

describe('while it is not known whether V3 is retired', () => {
  it('its calls answer 503; once it is known, they are served', async () => {
    await start();
    const refused = await get(balance);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toEqual({ error: 'service_unavailable' });
    expect(refused.headers.get('retry-after')).toBe('2');
    const page = await get('/checkout?hsh=x');
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await get('/api/v4/thing')).status).toBe(200);
    await viewsAreBuilt();
    await eventually(
      async () => (await get(balance)).status,
      (status) => status === 200,
    );
  });
});
