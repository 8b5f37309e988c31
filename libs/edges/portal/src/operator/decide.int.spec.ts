import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { deskRecords } from '#adapters/wiring';
import { AccessRequests, RecordedPersonSessions } from '#records/people';
import {
  collectionDecider,
  type CollectionKey,
  collectionStream,
  PhoneVault,
  ReviewsModule,
} from '#domain/collections';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { Clock, ok, Timer } from '#domain/kernel';
import { ledgerAccount } from '#domain/ledger';
import { MerchantDirectory } from '#domain/merchants';
import {
  PeopleModule,
  PersonSessions,
  roleDecider,
  type RoleEvent,
  roleStream,
} from '#domain/people';
import { ProposalSubjects } from '#domain/proposals';
import { type EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { hashSecret } from '#shared/signing';
import { RailSchedule } from '#desk/operators';
import { CachedMerchantDirectory } from '#views/merchants';
import { createViews, noteFresh, viewSchema } from '#views/view-set';
import {
  collectionIntent,
  freePort,
  openStore,
  type OwnServers,
  redisNamespace,
  startOwnServers,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { Browser } from '../../test/browser.js';
import { FakeIssuer } from '../../test/fake-issuer.js';
import { GivenRoles, startPortal } from '../../test/portal.js';
import { FindController, Search } from './find.controller.js';
import { ItemController } from './item.controller.js';
import { ItemLoader, PricedCases } from './item-loader.js';
import { PageContexts } from './page-contexts.js';
import { PeopleSessionsController } from './people-sessions.controller.js';
import { ProposedMoney } from './proposed-money.js';
import { WaitingChanges } from './proposals.controller.js';
import { ReviewDecisions } from './review-decisions.js';
import { english } from './operator-texts.en.js';
import { Selection, BulkDecisionsController } from './bulk-decisions.controller.js';
import { WaitingController, WaitingForTwo } from './waiting.controller.js';

/** The numbers that searches looked up. */
const traced: string[] = [];
const noNumbers = {
  provide: PhoneVault,
  useValue: {
    tracesOf: (phone: string) => {
      traced.push(phone);
      return { phoneHmac: '' };
    },
  },
};

/** No change of settings waits. */
const waiting = [
  WaitingForTwo,
  WaitingChanges,
  { provide: ProposalSubjects, useValue: new ProposalSubjects([]) },
];

let postgres: ThrowAwayDatabase;
let database: Database;
let redis: RedisStore;
let store: EventStoreDb;
let issuer: FakeIssuer;
let app: NestFastifyApplication;
let origin: string;
const roles = new GivenRoles();
const lines: string[] = [];
let servers: OwnServers;

beforeAll(async () => {
  postgres = await throwAwayDatabase();
  const logger = createLogger({ app: 'spec', level: 'silent' });
  await createViews(postgres.database, viewSchema());
  const searchPath = [viewSchema()];
  database = postgres.database.beside({ searchPath, poolSize: 4 });
  redis = new RedisStore({ ...redisNamespace(), logger });
  // The log is this spec's own: on a log without roles, the names that other specs typed would count.
  servers = await startOwnServers();
  store = openStore(servers.env['EVENTSTORE_URL']);
  issuer = new FakeIssuer();
  const port = await freePort();
  await Promise.all([redis.start(), issuer.start()]);
  // The views are empty but as new as the log: no other collection has any receipt.
  await database.query(`update checkpoint set position = 9e18::bigint`);
  await noteFresh(database, 0n, new Date(Date.now() + 3_600_000));
  origin = `http://localhost:${port}`;
  const infrastructure = [
    { provide: Database, useValue: database },
    { provide: EventStore, useValue: store },
    { provide: Pipeline, useValue: new Pipeline(store, new UuidIds()) },
    { provide: Clock, useValue: new SystemClock() },
    { provide: Timer, useClass: SystemTimer },
    { provide: MerchantDirectory, useValue: new CachedMerchantDirectory(database) },
    { provide: RailSchedule, useValue: new RailSchedule([75_000], 172_800_000) },
    { provide: AccessRequests, useValue: new AccessRequests(database) },
    { provide: PersonSessions, useValue: new RecordedPersonSessions(database) },
    ...deskRecords,
  ];
  const pages = {
    controllers: [
      FindController,
      ItemController,
      BulkDecisionsController,
      WaitingController,
      PeopleSessionsController,
    ],
    providers: [
      ItemLoader,
      PageContexts,
      ReviewDecisions,
      PricedCases,
      ProposedMoney,
      Selection,
      Search,
      noNumbers,
      ...waiting,
    ],
    infrastructure,
    modules: [ReviewsModule, PeopleModule],
  };
  const metrics = new Metrics();
  app = await startPortal({ database, redis, issuer, roles, port, metrics, lines, pages });
  for (const name of ['amina', 'joseph']) {
    const person = `${issuer.url}#${name}`;
    await note('RoleGranted', { person, name, role: 'finance', proposedBy: 'spec' });
  }
});
afterAll(async () => {
  await app.close();
  await issuer.stop();
  await redis.close();
  await store.dispose();
  await servers.stop();
  await database.close();
  await postgres.drop();
});

beforeEach(() => {
  roles.of.clear();
  for (const subject of ['amina', 'joseph']) roles.of.set(subject, [{ role: 'finance' }]);
  roles.of.set('vera', [{ role: 'viewer' }]);
});

/** Writes to the history of roles, in which the roles of both deciders are looked up. The spec itself says whom a page lets in. */
async function note(type: RoleEvent['type'], data: RoleEvent['data']): Promise<void> {
  const metadata = { correlationId: 'spec', actor: { kind: 'operator', id: 'spec' } } as const;
  const step = { decider: roleDecider, stream: roleStream, metadata };
  const pipeline = new Pipeline(store, new UuidIds());
  await pipeline.run(step, () => ok([{ type, data }]));
}

/** A collection under review without any answer from the rail: its money is in no wallet. */
async function underReview(
  reference = 'INV-1',
): Promise<{ readonly key: CollectionKey; readonly page: string }> {
  const key = { mode: 'demo', merchantId: randomUUID(), reference } as const;
  const stream = collectionStream(key);
  const metadata = {
    correlationId: 'spec',
    commitment: 'c0ffee',
    actor: { kind: 'rail', id: 'mpesa' } as const,
  };
  await new Pipeline(store, new UuidIds()).begin({ decider: collectionDecider, stream, metadata }, [
    collectionIntent({ ...key, amountMinor: 10_000n }),
    { type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } },
  ]);
  return { key, page: `/portal/items/demo/${key.merchantId}/collection/${reference}` };
}

async function signedIn(subject: string): Promise<Browser> {
  const one = new Browser(origin, issuer);
  expect((await one.signIn({ subject })).status).toBe(303);
  return one;
}

/** The hidden fields of the form with this action, and the decision, which the form must offer. */
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
    if (target !== action) continue;
    if (decision === undefined) return fields;
    if (new RegExp(`name="decision"\\s+value="${decision}"`).test(body))
      return { ...fields, decision };
  }
  throw new Error(`no form leads to ${action}`);
}

type Fields = Readonly<Record<string, string>> | readonly [string, string][];

/**
 * Sends the form and proves presence for it, as its sender does.
 * @returns the answer to carrying it out
 */
async function decide(one: Browser, subject: string, target: string, fields: Fields) {
  const held = await one.post(target, { fields });
  expect([held.status, held.location]).toEqual([
    303,
    expect.stringMatching(/^\/portal\/confirm\//),
  ]);
  const { location } = await one.get(`${held.location}/prove`);
  await one.get(issuer.approve(location, { subject }));
  const form_token = new URLSearchParams(fields).get('form_token') ?? '';
  const id = held.location.slice(held.location.lastIndexOf('/') + 1);
  return one.post(target, { fields: { form_token, held: id } });
}

it('names the merchant on an item’s page and before the proof of presence', async () => {
  const { key, page } = await underReview();
  await database.query(
    `insert into merchants (merchant_id, name, timezone, country) values ($1, 'Duka Tatu', 'Africa/Nairobi', 'KE')`,
    [key.merchantId],
  );
  const amina = await signedIn('amina');
  const { text } = await amina.get(page);
  const form = formIn(text, `${page}/resolve`, 'failed');
  const held = await amina.post(`${page}/resolve`, {
    fields: { ...form, reason: 'line 12' },
  });
  // The sidebar stays the operators' own, so that the way back to the reviews is one click.
  expect(text).toMatch(/<nav[^>]*class="nav"[^]*href="\/portal\/reviews"/);
  for (const shown of [text, (await amina.get(held.location)).text])
    expect(shown).toMatch(new RegExp(`Duka Tatu[^]*${key.merchantId}`));
});

it('shows the typed amount in large before the proof, not the requested one', async () => {
  const { page } = await underReview();
  const amina = await signedIn('amina');
  const form = formIn((await amina.get(page)).text, `${page}/resolve`, 'paid');
  const held = await amina.post(`${page}/resolve`, {
    fields: { ...form, paid_receipt: 'RTYPED12X', paid_amount: '7700', reason: 'line 12' },
  });
  expect((await amina.get(held.location)).text).toMatch(/<p class="amount">KES 77\.00<\/p>/);
});

describe('the money of a decision', () => {
  const fees = { basisPoints: 250, flatMinor: 7n };
  /** 100.01 of 100.00 arrived. */
  const arrived = { receipt: 'OTHER00001', amountMinor: 10_001n };
  const legs = [
    { account: ledgerAccount.railClearing('mpesa'), amountMinor: -10_001n },
    { account: ledgerAccount.suspense, amountMinor: 10_001n },
  ];
  const known = ['KES 100.01', 'KES 2.57', 'KES 97.44'];

  /** Writes the rows that the projector would write for the item, its account and the account's fee. */
  async function project(of: { merchantId: string; reference: string; stream: string }) {
    const { merchantId, reference, stream } = of;
    const insert = (rows: string, values: readonly unknown[]) =>
      database.query(`insert into ${rows}`, values);
    await insert(
      `merchants (merchant_id, name, timezone, country) values ($1, 'Duka', 'Africa/Nairobi', 'KE')`,
      [merchantId],
    );
    await insert(
      `accounts (account_no, merchant_id, mode, currency, position) values ('1001', $1, 'demo', 'KES', 1)`,
      [merchantId],
    );
    await insert(
      `fee_schedules (merchant_id, mode, basis_points, flat_minor) values ($1, 'demo', $2, $3)`,
      [merchantId, fees.basisPoints, fees.flatMinor],
    );
    await insert(
      `transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
         requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review)
       values (5, $1, $2, 'demo', 'collection', $3, 'KES', gen_random_uuid(), '1001', 'mpesa',
         10000, now(), current_date, 'pending', 10000, 150, true)`,
      [stream, merchantId, reference],
    );
    await insert(
      `reviews (stream, merchant_id, mode, reference, why, flagged_at, position)
       values ($1, $2, 'demo', $3, 'amount_mismatch', now(), 7)`,
      [stream, merchantId, reference],
    );
    await insert(
      `ledger_entries (position, leg, event_id, stream, mode, currency, account, amount_minor, recorded_at)
       values (7, 1, gen_random_uuid(), $1, 'demo', 'KES', 'suspense', 10001, now())`,
      [stream],
    );
  }

  /** An item whose money is held. Its account has another fee by now than the request fixed. */
  async function held() {
    const { key, page } = await underReview('HELD-1');
    const { merchantId, reference } = key;
    const stream = collectionStream(key);
    const metadata = { correlationId: 'spec', actor: { kind: 'rail', id: 'mpesa' } as const };
    const pipeline = new Pipeline(store, new UuidIds());
    await pipeline.run({ decider: collectionDecider, stream, metadata }, () =>
      ok([
        { type: 'AmountMismatchRecorded', data: arrived },
        { type: 'SuspensePosted', data: { ...arrived, legs } },
      ]),
    );
    await project({ merchantId, reference, stream });
    return { page, stream };
  }

  it('is shown at the choice, before the proof and in the approvals as it is then posted', async () => {
    const { page, stream } = await held();
    const amina = await signedIn('amina');
    const { text } = await amina.get(page);
    const choice =
      /<div class="option">(?:(?!<div class="option">)[^])*suspense_to_merchant[^]*?<\/dl>/;
    for (const amount of known) expect(choice.exec(text)?.[0]).toContain(amount);
    const form = formIn(text, `${page}/resolve`, 'suspense_to_merchant');
    const fields = { ...form, reason: 'line 12' };
    const stepUp = await amina.post(`${page}/resolve`, { fields });
    const before = (await amina.get(stepUp.location)).text;
    for (const text of [...known, 'Verify and propose']) expect(before).toContain(text);
    expect((await decide(amina, 'amina', `${page}/resolve`, fields)).location).toContain('done=');

    const joseph = await signedIn('joseph');
    const { text: approvals } = await joseph.get('/portal/waiting');
    for (const amount of known) expect(approvals).toContain(amount);
    const confirmation = formIn(approvals, `${page}/confirm`);
    const asked = await joseph.post(`${page}/confirm`, { fields: confirmation });
    const confirming = (await joseph.get(asked.location)).text;
    for (const text of [...known, 'Verify and confirm']) expect(confirming).toContain(text);
    const done = await decide(joseph, 'joseph', `${page}/confirm`, confirmation);
    expect(done.location).toBe(`${page}?done=confirmed`);
    const resolved = (await store.readStream(stream)).at(-1);
    expect(resolved).toMatchObject({
      type: 'SuspenseResolved',
      data: {
        amountMinor: 10_001n,
        legs: [
          { account: 'suspense', amountMinor: -10_001n },
          { account: 'wallet:1001', amountMinor: 9_744n },
          { account: 'fees', amountMinor: 257n },
        ],
      },
    });
  });
});

let receipt: string;
beforeEach(() => {
  receipt = `R${randomUUID().replaceAll('-', '').slice(0, 9).toUpperCase()}X`;
});

async function proposed(page: string): Promise<Browser> {
  const amina = await signedIn('amina');
  const { text } = await amina.get(page);
  const form = formIn(text, `${page}/resolve`, 'paid');
  const done = await decide(amina, 'amina', `${page}/resolve`, {
    ...form,
    paid_receipt: receipt.toLowerCase(),
    paid_amount: '10000',
    reason: 'line 12',
  });
  expect([done.status, done.location]).toEqual([303, `${page}?done=proposed`]);
  return amina;
}

const typesOf = async (key: CollectionKey) =>
  (await store.readStream(collectionStream(key))).map(({ type }) => type).slice(2);

const changed = 'It has changed since';

it('a search is sent in a form, so that no address contains a rail id that ends in a phone number', async () => {
  const amina = await signedIn('amina');
  const form = formIn((await amina.get('/portal/find')).text, '/portal/find');
  expect(form).toHaveProperty('form_token');
  const fields = { ...form, q: 'ws_CO_230920262019337712345678' };
  const { status, text } = await amina.post('/portal/find', { fields });
  expect([status, text]).toEqual([200, expect.stringContaining(english.find.empty)]);
});

it.each(['0712 345 678', '+254712345678', '(0712) 345-678'])(
  'a phone number in the search is looked up by its digest, and no page repeats it: %s',
  async (typed) => {
    const amina = await signedIn('amina');
    const form = formIn((await amina.get('/portal/find')).text, '/portal/find');
    traced.length = 0;
    const { status, text } = await amina.post('/portal/find', { fields: { ...form, q: typed } });
    expect([status, traced]).toEqual([200, ['254712345678']]);
    expect(text).toContain(english.find.empty);
    expect(text).not.toContain(typed);
    expect(text.replace(english.find.phoneWrong, '')).not.toContain('712345678');
  },
);

describe('a review in the portal', () => {
  it('is decided by two people: one proposes, another confirms, and the event names both', async () => {
    const { key, page } = await underReview();
    await proposed(page);
    expect(await typesOf(key)).toEqual([]);
    const joseph = await signedIn('joseph');
    const { text } = await joseph.get(page);
    expect(text).toContain(receipt);
    // The page shows the name too: a subject says nothing to a person.
    expect(text).toContain('amina &lt;b&gt;of Duka&lt;/b&gt; <span title=');
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

  it('is not confirmed by its proposer, regardless of the form that they send', async () => {
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

  it('is not confirmed if its proposer has lost the role since', async () => {
    const { key, page } = await underReview();
    await proposed(page);
    const person = `${issuer.url}#amina`;
    const change = (type: 'RoleGranted' | 'RoleRevoked') =>
      note(type, { person, name: 'amina', role: 'finance', proposedBy: 'spec' });
    await change('RoleRevoked');
    const joseph = await signedIn('joseph');
    const form = formIn((await joseph.get(page)).text, `${page}/confirm`);
    const refused = await decide(joseph, 'joseph', `${page}/confirm`, form);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(english.refusals.proposer_lost_role);
    expect(await typesOf(key)).toEqual([]);
    await change('RoleGranted');
    expect((await decide(joseph, 'joseph', `${page}/confirm`, form)).status).toBe(303);
  });

  it('is rejected by another with a reason, which its proposer reads on the item', async () => {
    const { key, page } = await underReview();
    await proposed(page);
    const joseph = await signedIn('joseph');
    const form = formIn((await joseph.get(page)).text, `${page}/decline`);
    for (const unfit of ['', 'call 0712345678']) {
      const refused = await joseph.post(`${page}/decline`, {
        fields: { ...form, decline_reason: unfit },
      });
      expect([refused.status, refused.text.includes('aria-invalid')]).toEqual([422, true]);
    }
    const fields = { ...form, decline_reason: 'the receipt is of another day' };
    const done = await decide(joseph, 'joseph', `${page}/decline`, fields);
    expect(done.location).toBe(`${page}?done=review_declined`);
    expect(await typesOf(key)).toEqual([]);
    const amina = await signedIn('amina');
    const { text } = await amina.get(page);
    expect(text).toContain('the receipt is of another day');
    expect(text).toContain(english.item.rejected);
    expect(() => formIn(text, `${page}/decline`)).toThrow();
    await proposed(page);
    expect((await amina.get(page)).text).not.toContain(english.item.rejected);
  });

  it('is withdrawn by its proposer without a reason', async () => {
    const { key, page } = await underReview();
    const amina = await proposed(page);
    const form = formIn((await amina.get(page)).text, `${page}/decline`);
    expect(form).not.toHaveProperty('decline_reason');
    const done = await decide(amina, 'amina', `${page}/decline`, form);
    expect(done.location).toBe(`${page}?done=review_withdrawn`);
    expect(await typesOf(key)).toEqual([]);
    const vera = await signedIn('vera');
    expect((await vera.post(`${page}/decline`, { fields: form })).status).toBe(403);
  });

  it('is not confirmed if a different proposal is waiting than the one shown', async () => {
    const { key, page } = await underReview();
    await proposed(page);
    const joseph = await signedIn('joseph');
    const seen = formIn((await joseph.get(page)).text, `${page}/confirm`);
    await proposed(page);
    const refused = await joseph.post(`${page}/confirm`, { fields: seen });
    expect([refused.status, refused.text.includes(changed)]).toEqual([409, true]);
    expect(await typesOf(key)).toEqual([]);
  });

  it('is shown and decided as the server knows it, regardless of the fields in a form', async () => {
    const { key, page } = await underReview();
    await proposed(page);
    const joseph = await signedIn('joseph');
    const form = formIn((await joseph.get(page)).text, `${page}/confirm`);
    const forged = {
      ...form,
      decision: 'failed',
      about: 'forged-about',
      receipt: 'FORGED1',
      paid_receipt: 'FORGED2',
      amount: '1',
      phone: 'forged-phone',
      currency: 'USD',
    };
    const held = await joseph.post(`${page}/confirm`, { fields: forged });
    const { text } = await joseph.get(held.location);
    for (const known of ['KES 100.00', receipt, '2547*****678', 'INV-1', 'line 12', '#amina'])
      expect(text).toContain(known);
    expect(text).not.toMatch(/forged|USD|Failed/i);
    const done = await decide(joseph, 'joseph', `${page}/confirm`, forged);
    expect(done.location).toBe(`${page}?done=confirmed`);
    const [decided, confirmed] = (await store.readStream(collectionStream(key))).slice(2);
    expect([decided?.data, confirmed?.data]).toMatchObject([{ decision: 'paid' }, { receipt }]);
  });

  it('is not decided if it changed between its display and the proof of presence', async () => {
    const { key, page } = await underReview();
    await proposed(page);
    const joseph = await signedIn('joseph');
    const form = formIn((await joseph.get(page)).text, `${page}/confirm`);
    const held = await joseph.post(`${page}/confirm`, { fields: form });
    const { location } = await joseph.get(`${held.location}/prove`);
    await joseph.get(issuer.approve(location, { subject: 'joseph' }));
    await database.query(
      `update records.review_proposals set reason = 'another' where stream = $1`,
      [collectionStream(key)],
    );
    const { form_token = '' } = form;
    const id = held.location.slice(held.location.lastIndexOf('/') + 1);
    const refused = await joseph.post(`${page}/confirm`, { fields: { form_token, held: id } });
    expect([refused.status, refused.text.includes(changed)]).toEqual([409, true]);
    expect(await typesOf(key)).toEqual([]);
  });

  it('is decided together with others: one reason, and of each its own proposal and outcome', async () => {
    const first = await underReview('A-1');
    const reviews = [first, await underReview('A-2'), await underReview('A-3')];
    const streams = reviews.map(({ key }) => collectionStream(key));
    const amina = await signedIn('amina');
    const { form_token = '' } = formIn(
      (await amina.get(first.page)).text,
      `${first.page}/resolve`,
      'paid',
    );
    const target = '/portal/reviews/together';
    const selection = (name: string, values: readonly string[]): [string, string][] => [
      ['form_token', form_token],
      ...values.map((value): [string, string] => [name, value]),
    ];
    const many = Array.from({ length: 51 }, (_, number) => String(number));
    for (const wrong of [selection('item', []), selection('item', many)]) {
      const refused = await amina.post(target, { fields: [...wrong, ['decision', 'failed']] });
      expect([refused.status, refused.text.includes('Choose one to fifty')]).toEqual([422, true]);
    }
    const chosen = await amina.post('/portal/reviews/choose', {
      fields: selection('item', streams),
    });
    expect([chosen.status, chosen.text.includes('value="failed"')]).toEqual([200, true]);
    for (const decision of ['refunded', 'paid', 'suspense_to_merchant'])
      expect(chosen.text).not.toContain(`value="${decision}"`);
    const failing: [string, string][] = [
      ...selection('item', streams),
      ['decision', 'failed'],
      ['reason', 'outage'],
    ];
    const done = await decide(amina, 'amina', target, failing);
    expect(done.text).toContain(english.together.summary(3, 0));
    for (const { key } of reviews)
      expect(await typesOf(key)).toEqual(['ReviewDecided', 'RailDeclined']);
    const again = await decide(amina, 'amina', target, failing);
    expect(again.text).toContain(english.together.summary(0, 3));
    expect(again.text).toContain(english.refusals.not_under_review);
  });

  it('is confirmed together with others, after one proof of presence for all of them', async () => {
    const first = await underReview('B-1');
    const reviews = [first, await underReview('B-2')];
    const named: string[] = [];
    for (const { key, page } of reviews) {
      receipt = `R${randomUUID().replaceAll('-', '').slice(0, 9).toUpperCase()}X`;
      await proposed(page);
      const stream = collectionStream(key);
      const [row] = await database.query<{ id: string }>(
        `select id from records.review_proposals where stream = $1`,
        [stream],
      );
      named.push(`${stream} ${row?.id ?? ''}`);
    }
    const joseph = await signedIn('joseph');
    const { text: ofFirst } = await joseph.get(first.page);
    const { form_token = '' } = formIn(ofFirst, `${first.page}/confirm`);
    const target = '/portal/reviews/confirm-together';
    const fields: [string, string][] = [
      ['form_token', form_token],
      ...named.map((each): [string, string] => ['proposal', each]),
    ];
    const held = await joseph.post(target, { fields });
    const { text } = await joseph.get(held.location);
    for (const known of ['B-1', 'B-2', receipt]) expect(text).toContain(known);
    expect(text).toContain('<p class="amount">KES 200.00</p>');
    const done = await decide(joseph, 'joseph', target, fields);
    expect(done.text).toContain(english.together.summary(2, 0));
    for (const { key } of reviews)
      expect(await typesOf(key)).toEqual(['ReviewDecided', 'RailConfirmed', 'WalletPosted']);
    const gone = await joseph.post(target, { fields });
    expect([gone.status, gone.text.includes(changed)]).toEqual([409, true]);
  });

  it('cannot be decided by a viewer, and is not found for an item that does not exist', async () => {
    const { page } = await underReview();
    const vera = await signedIn('vera');
    const { status, text } = await vera.get(page);
    expect([status, text.includes(`${page}/resolve`)]).toEqual([200, false]);
    expect((await vera.post(`${page}/resolve`, { fields: {} })).status).toBe(403);
    expect((await vera.post('/portal/reviews/choose', { fields: {} })).status).toBe(403);
    for (const other of [
      '/portal/items/demo/nobody/collection/INV-9',
      page.replace('collection', 'batch'),
    ])
      expect((await vera.get(other)).status).toBe(404);
  });
});

it('waiting reviews are listed while the views cannot be read, and each other part says so', async () => {
  const reference = `INV-${randomUUID().slice(0, 8)}`;
  const { page } = await underReview(reference);
  await proposed(page);
  const joseph = await signedIn('joseph');
  await database.query(`alter schema ${viewSchema()} rename to views_away`);
  const { status, text } = await joseph.get('/portal/waiting');
  await database.query(`alter schema views_away rename to ${viewSchema()}`);
  expect(status).toBe(200);
  expect(formIn(text, `${page}/confirm`)).toHaveProperty('proposal');
  for (const kind of ['Correction', 'Payout', 'Payout batch'])
    expect(text).toContain(`${kind}: not available now`);
  expect(text).not.toContain('Review: not known');
  expect(text).not.toContain(english.waiting.empty);
  expect((await joseph.get('/portal/waiting')).text).not.toContain('not available now');
});

describe('the sessions of another person', () => {
  const page = '/portal/roles/sessions';
  const idOf = (subject: string): string => `${issuer.url}#${subject}`;
  const of = (subject: string): string => `${page}?person=${encodeURIComponent(idOf(subject))}`;
  const hashOf = (one: Browser): string =>
    hashSecret(one.cookies.get('portal') ?? '').toString('hex');
  const listedTo = async (one: Browser): Promise<readonly string[]> => {
    const { text } = await one.get(of('joseph'));
    return [...text.matchAll(/name="session" value="([0-9a-f]{64})"/g)].map(
      ([, hash = '']) => hash,
    );
  };
  const isIn = async (one: Browser): Promise<boolean> =>
    (await one.get('/portal/find')).status === 200;
  const securityLines = () =>
    lines
      .filter((line) => line.includes('"log":"security"'))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

  beforeEach(async () => {
    await database.query(`delete from records.portal_sessions where subject = 'joseph'`);
    roles.of.set('asha', [{ role: 'admin' }]);
    lines.length = 0;
  });

  it('are listed to an admin, who ends one or all by a proof; the security log names the admin', async () => {
    const [first, second] = [await signedIn('joseph'), await signedIn('joseph')];
    const asha = await signedIn('asha');
    expect([...(await listedTo(asha))].sort()).toEqual([hashOf(first), hashOf(second)].sort());
    const { form_token = '' } = formIn((await asha.get(of('joseph'))).text, `${page}/end`);
    const named = { form_token, person: idOf('joseph') };

    const held = await asha.post(`${page}/end`, { fields: { ...named, session: hashOf(first) } });
    expect((await asha.get(held.location)).text).toContain(idOf('joseph'));
    expect([await isIn(first), await isIn(second)]).toEqual([true, true]);

    const end = (session: string) => decide(asha, 'asha', `${page}/end`, { ...named, session });
    const done = { status: 303, location: `${of('joseph')}&done=ended` };
    expect(await end(hashOf(first))).toMatchObject(done);
    expect([await isIn(first), await isIn(second)]).toEqual([false, true]);
    expect(await listedTo(asha)).toEqual([hashOf(second)]);
    expect(await end('')).toMatchObject(done);
    expect([await isIn(second), await isIn(asha)]).toEqual([false, true]);
    expect(await listedTo(asha)).toEqual([]);
    const ended = securityLines().filter(({ event }) => event === 'session_ended');
    expect(ended.map(({ personId }) => personId)).toEqual([idOf('asha'), idOf('asha')]);
  });

  it('are neither shown to nor ended by anyone else, and each refusal names who tried', async () => {
    const joseph = await signedIn('joseph');
    for (const subject of ['amina', 'vera']) {
      const one = await signedIn(subject);
      const { form_token = '' } = formIn((await one.get('/portal/find')).text, '/portal/find');
      lines.length = 0;
      expect((await one.get(of('joseph'))).status).toBe(403);
      const fields = { form_token, person: idOf('joseph'), session: hashOf(joseph) };
      expect((await one.post(`${page}/end`, { fields })).status).toBe(403);
      const refused = { code: 'forbidden', personId: idOf(subject) };
      expect(securityLines()).toMatchObject([refused, refused]);
    }
    expect(await isIn(joseph)).toBe(true);
  });

  it('are not found for a person of another issuer', async () => {
    const asha = await signedIn('asha');
    for (const id of ['', 'joseph', 'https://other.example#joseph'])
      expect((await asha.get(`${page}?person=${encodeURIComponent(id)}`)).status).toBe(404);
  });
});
