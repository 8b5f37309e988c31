import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { deskRecords } from '#adapters/records';
import {
  collectionDecider,
  type CollectionKey,
  collectionStream,
  ReviewsModule,
} from '#domain/collections';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { Clock, Timer } from '#domain/kernel';
import { MerchantDirectory } from '#domain/merchants';
import { type EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { RailSchedule } from '#views/cases';
import { CachedMerchantDirectory } from '#views/merchants';
import { createViews, noteFresh, viewSchema } from '#views/view-set';
import {
  collectionIntent,
  freePort,
  openStore,
  redisNamespace,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { Browser } from '../../test/browser.js';
import { FakeIssuer } from '../../test/fake-issuer.js';
import { GivenRoles, startPortal } from '../../test/portal.js';
import { ItemController } from './item.controller.js';
import { Items } from './items.js';
import { english } from './texts.en.js';

let postgres: ThrowAwayDatabase;
let database: Database;
let redis: RedisStore;
let store: EventStoreDb;
let issuer: FakeIssuer;
let app: NestFastifyApplication;
let origin: string;
const roles = new GivenRoles();

beforeAll(async () => {
  postgres = await throwAwayDatabase();
  const logger = createLogger({ app: 'spec', level: 'silent' });
  await createViews(postgres.database, viewSchema());
  const searchPath = [viewSchema()];
  database = new Database({ url: postgres.url, app: 'spec', logger, searchPath, poolSize: 4 });
  redis = new RedisStore({ ...redisNamespace(), logger });
  store = openStore();
  issuer = new FakeIssuer();
  const port = await freePort();
  await Promise.all([redis.start(), issuer.start()]);
  // The views hold nothing, and are level with the log: no other collection bears any receipt.
  await database.query(`update checkpoint set position = 9e18::bigint`);
  await noteFresh(database, 0n, new Date());
  origin = `http://localhost:${port}`;
  const infrastructure = [
    { provide: Database, useValue: database },
    { provide: EventStore, useValue: store },
    { provide: Pipeline, useValue: new Pipeline(store, new UuidIds()) },
    { provide: Clock, useValue: new SystemClock() },
    { provide: Timer, useClass: SystemTimer },
    { provide: MerchantDirectory, useValue: new CachedMerchantDirectory(database) },
    { provide: RailSchedule, useValue: new RailSchedule([75_000], 172_800_000) },
    ...deskRecords,
  ];
  const pages = {
    ...{ controllers: [ItemController], providers: [Items] },
    ...{ infrastructure, modules: [ReviewsModule] },
  };
  app = await startPortal({ database, redis, issuer, roles, port, metrics: new Metrics(), pages });
});
afterAll(async () => {
  await app.close();
  await issuer.stop();
  await redis.close();
  await store.dispose();
  await database.close();
  await postgres.drop();
});

beforeEach(() => {
  roles.of.clear();
  for (const subject of ['amina', 'joseph']) roles.of.set(subject, [{ role: 'finance' }]);
  roles.of.set('vera', [{ role: 'viewer' }]);
});

/** A collection whose money waits in nobody's wallet: nothing was heard of it. */
async function underReview(): Promise<{ readonly key: CollectionKey; readonly page: string }> {
  const key = { mode: 'demo', merchantId: randomUUID(), reference: 'INV-1' } as const;
  const stream = collectionStream(key);
  const metadata = {
    ...{ correlationId: 'spec', commitment: 'c0ffee' },
    actor: { kind: 'rail', id: 'mpesa' } as const,
  };
  await new Pipeline(store, new UuidIds()).begin({ decider: collectionDecider, stream, metadata }, [
    collectionIntent({ ...key, amountMinor: 10_000n }),
    { type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } },
  ]);
  return { key, page: `/portal/items/demo/${key.merchantId}/collection/INV-1` };
}

async function signedIn(subject: string): Promise<Browser> {
  const one = new Browser(origin, issuer);
  expect((await one.signIn({ subject })).status).toBe(303);
  return one;
}

/** The hidden fields of the form that is sent there, its decision's if there are several. */
function formIn(text: string, action: string, decision?: string): Record<string, string> {
  for (const [, target, body = ''] of text.matchAll(
    /<form[^>]*action="([^"]+)"[^>]*>(.*?)<\/form>/gs,
  )) {
    const fields = Object.fromEntries(
      [...body.matchAll(/type="hidden"\s+name="([^"]+)"\s+value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [
          name,
          value.replaceAll('&#39;', "'").replaceAll('&quot;', '"'),
        ],
      ),
    );
    if (target === action && (decision === undefined || fields['decision'] === decision))
      return fields;
  }
  throw new Error(`no form leads to ${action}`);
}

/** Sends the form and proves presence for it, as its sender does. @returns the answer of carrying it out */
async function decide(
  one: Browser,
  subject: string,
  target: string,
  fields: Record<string, string>,
) {
  const held = await one.post(target, { fields });
  expect([held.status, held.location]).toEqual([
    303,
    expect.stringMatching(/^\/portal\/confirm\//),
  ]);
  const { location } = await one.get(`${held.location}/prove`);
  await one.get(issuer.approve(location, { subject }));
  const { form_token = '' } = fields;
  const id = held.location.slice(held.location.lastIndexOf('/') + 1);
  return one.post(target, { fields: { form_token, held: id } });
}

let receipt: string;
beforeEach(() => {
  receipt = `R${randomUUID().replaceAll('-', '').slice(0, 9).toUpperCase()}X`;
});

async function proposed(page: string): Promise<Browser> {
  const amina = await signedIn('amina');
  const { text } = await amina.get(page);
  const form = formIn(text, `${page}/resolve`, 'paid');
  const done = await decide(amina, 'amina', `${page}/resolve`, {
    ...{ ...form, paid_receipt: receipt.toLowerCase() },
    ...{ paid_amount: '10000', paid_reason: 'line 12' },
  });
  expect([done.status, done.location]).toEqual([303, `${page}?done=proposed`]);
  return amina;
}

const typesOf = async (key: CollectionKey) =>
  (await store.readStream(collectionStream(key))).map(({ type }) => type).slice(2);

describe('a review in the portal', () => {
  it('is decided by two: one proposes, another confirms, and each stands in the event', async () => {
    const { key, page } = await underReview();
    await proposed(page);
    expect(await typesOf(key)).toEqual([]);
    const joseph = await signedIn('joseph');
    const { text } = await joseph.get(page);
    expect(text).toContain(receipt);
    const form = formIn(text, `${page}/confirm`);
    const done = await decide(joseph, 'joseph', `${page}/confirm`, form);
    expect([done.status, done.location]).toEqual([303, `${page}?done=confirmed`]);
    const [decided] = (await store.readStream(collectionStream(key))).slice(2);
    expect(decided).toMatchObject({
      type: 'ReviewDecided',
      data: {
        decision: 'paid',
        reason: 'line 12',
        proposedBy: `${issuer.url}#amina`,
        confirmedBy: `${issuer.url}#joseph`,
      },
    });
    expect((await joseph.get(`${page}?done=confirmed`)).text).toContain(english.done.confirmed);
  });

  it('is not confirmed by who proposed it, whatever form they send', async () => {
    const { key, page } = await underReview();
    const amina = await proposed(page);
    const own = await amina.get(page);
    expect(own.text).toContain(english.item.waitsForOther);
    expect(() => formIn(own.text, `${page}/confirm`)).toThrow();
    const joseph = await signedIn('joseph');
    const seen = formIn((await joseph.get(page)).text, `${page}/confirm`);
    const { form_token = '' } = formIn(own.text, `${page}/resolve`, 'paid');
    const sent = { ...seen, form_token };
    const refused = await decide(amina, 'amina', `${page}/confirm`, sent);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(english.refusals.same_operator);
    expect(await typesOf(key)).toEqual([]);
  });

  it('is not confirmed where another proposal waits than was seen', async () => {
    const { key, page } = await underReview();
    await proposed(page);
    const joseph = await signedIn('joseph');
    const seen = formIn((await joseph.get(page)).text, `${page}/confirm`);
    await proposed(page);
    const refused = await decide(joseph, 'joseph', `${page}/confirm`, seen);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(english.changed);
    expect(await typesOf(key)).toEqual([]);
  });

  it('is nothing that a viewer decides, and of no item that does not exist', async () => {
    const { page } = await underReview();
    const vera = await signedIn('vera');
    const { status, text } = await vera.get(page);
    expect([status, text.includes(`${page}/resolve`)]).toEqual([200, false]);
    expect((await vera.post(`${page}/resolve`, { fields: {} })).status).toBe(403);
    for (const other of [
      '/portal/items/demo/nobody/collection/INV-9',
      page.replace('collection', 'batch'),
    ])
      expect((await vera.get(other)).status).toBe(404);
  });
});
