import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DynamicModule, type Provider, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { ModulesContainer } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type HeldRole,
  merchantRoles,
  operatorRoles,
  permits,
  type Person,
  personId,
  RoleDirectory,
} from '#domain/people';
import { ApiDocsModule } from '#edges/api-docs';
import { actionOf } from '#edges/portal';
import { AccessRequests, Sessions } from '#records/people';
import { Rails } from '#edges/rails';
import { EventStoreDb } from '#infra/eventstoredb';
import { collectionStream } from '#domain/collections';
import { DependencyUnavailable } from '#domain/kernel';
import { type EventRecord } from '#domain/event-sourcing';
import { reservationsStream } from '#domain/ledger';
import { payoutBatchStream, PayoutPhones, payoutStream } from '#domain/payouts';
import { Database, ReadDatabase } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { processContext } from '#infra/runtime';
import { authenticationOf, createHttpApp } from '#shared/http';
import { hashSecret, newSecret } from '#shared/signing';
import {
  collectionIntent,
  eventually,
  FaultyLink,
  foreignMarkup,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { noteFresh, viewSchema } from '#views/view-set';
import { AppModule } from './app.module.js';

let throwAway: ThrowAwayDatabase;
/** Between the application and Postgres. */
let link: FaultyLink;
let app: NestFastifyApplication;

/** The roles of each kind of person, by subject. */
const held: Readonly<Record<string, readonly HeldRole[]>> = {
  nobody: [],
  ...Object.fromEntries(operatorRoles.map((role) => [role, [{ role }]])),
  ...Object.fromEntries(
    merchantRoles.flatMap((role) =>
      ['m1', 'm2'].map((merchantId) => [`${role} of ${merchantId}`, [{ role, merchantId }]]),
    ),
  ),
};

/** The state of the server that knows the roles. */
let directory: 'well' | 'down' | 'hung' = 'well';

class RolesBySubject extends RoleDirectory {
  override rolesOf({ subject }: Person): Promise<readonly HeldRole[]> {
    if (directory === 'hung') return new Promise(() => undefined);
    if (directory === 'down')
      return Promise.reject(new DependencyUnavailable('event store', 'it is down'));
    return Promise.resolve(subject === 'all' ? Object.values(held).flat() : (held[subject] ?? []));
  }
}

/** The whole API, with an issuer that gets no requests and with roles that come from this spec instead of the log. */
function wholeApi(): DynamicModule {
  const env = {
    ...process.env,
    DATABASE_URL: link.through(throwAway.url),
    LOG_LEVEL: 'silent',
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'portal',
    PORTAL_URL: 'http://localhost:8080',
  };
  const { imports = [], ...whole } = AppModule.with(processContext('api', env));
  const isDirectory = (provider: Provider): boolean =>
    typeof provider === 'object' && provider.provide === RoleDirectory;
  return {
    ...whole,
    imports: imports
      // It serves a script that only a build creates.
      .filter((module) => module !== ApiDocsModule)
      .map((module) => {
        const { providers = [], ...rest } = module as DynamicModule;
        if (!providers.some(isDirectory)) return module;
        const roles = { provide: RoleDirectory, useClass: RolesBySubject };
        const all = [...providers.filter((provider) => !isDirectory(provider)), roles];
        return { ...rest, providers: all, exports: all };
      }),
  };
}

beforeAll(async () => {
  throwAway = await throwAwayDatabase();
  link = await FaultyLink.to(throwAway.url);
  const { logger, metrics } = processContext('api', { ...process.env, LOG_LEVEL: 'silent' });
  app = await createHttpApp(wholeApi(), { trustedProxies: [], logger, metrics });
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  await twoMerchants();
});
afterAll(async () => {
  await app.close();
  await app.get(Rails).close();
  await app.get(EventStoreDb).dispose();
  await app.get(RedisStore).close();
  await app.get(ReadDatabase).close();
  await app.get(Database).close();
  await link.close();
  await throwAway.drop();
});

/** Creates two merchants with an account each, in views that are not behind. */
async function twoMerchants(): Promise<void> {
  const database = app.get(Database);
  // Ahead, so that the views do not grow old while the spec runs.
  await noteFresh(database, 0n, new Date(Date.now() + 3_600_000));
  for (const [merchantId, accountNo] of Object.entries({
    m1: '100000009001',
    m2: '100000009002',
  })) {
    await database.query(
      `insert into merchants (merchant_id, name, timezone, country) values ($1, $2, 'Africa/Nairobi', 'KE')`,
      [merchantId, `Duka of ${merchantId}`],
    );
    await database.query(`insert into accounts values ($1, $2, 'demo', 'KES', 1)`, [
      ...[accountNo, merchantId],
    ]);
  }
}

interface Route {
  readonly method: 'GET' | 'POST';
  /** A pattern with a leading slash. */
  readonly pattern: string;
  readonly handler: object;
  readonly controller: object;
}

const listOf = (value: unknown): string[] => [value ?? ''].flat().map(String);

/** Every route of the application below /portal, as Nest's container lists it. */
function portalRoutes(): Route[] {
  return [...app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.controllers.values()])
    .flatMap(({ metatype: controller }) => {
      if (typeof controller !== 'function') return [];
      const bases = listOf(Reflect.getMetadata(PATH_METADATA, controller));
      const prototype = controller.prototype as Record<string, unknown>;
      return Object.getOwnPropertyNames(prototype).flatMap((name) => {
        const handler = prototype[name];
        if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler))
          return [];
        const method = RequestMethod[Number(Reflect.getMetadata(METHOD_METADATA, handler))];
        const paths = listOf(Reflect.getMetadata(PATH_METADATA, handler));
        return bases.flatMap((base) =>
          paths.map((path) => ({
            method: method as Route['method'],
            handler,
            controller,
            pattern: `/${base}/${path}`.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1'),
          })),
        );
      });
    })
    .filter(({ pattern }) => pattern === '/portal' || pattern.startsWith('/portal/'));
}

const named = ({ method, pattern }: Route): string => `${method} ${pattern}`;

/** The route's path for merchant m1 in demo mode. */
function targetOf({ pattern }: Route): string {
  return pattern.replace(':merchantId', 'm1').replace(':mode', 'demo').replaceAll(/:\w+/g, 'x1');
}

/** Returns the headers of the person's browser; without a subject, the cookie belongs to no session. */
async function browserOf(subject?: string) {
  const id = newSecret();
  if (subject !== undefined) {
    const person = { issuer: 'https://id.example', subject };
    const who = { hash: hashSecret(id), person, name: subject, authenticatedAt: new Date() };
    const session = { ...who, kind: 'browser', isProved: false } as const;
    await app.get(Sessions).open(session, { idleMs: 3_600_000, absoluteMs: 3_600_000 });
  }
  return { host: 'localhost:8080', 'accept-language': 'en', cookie: `portal=${id}` };
}

async function ask(route: Route, subject?: string) {
  const { statusCode, body, headers } = await app.inject({
    method: route.method,
    url: targetOf(route),
    headers: {
      ...(await browserOf(subject)),
      ...(route.method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(route.method === 'POST' && { payload: 'a=b' }),
  });
  return { status: statusCode, location: String(headers.location), body };
}

const forbidden = 'Your roles do not allow this';

describe('the portal’s routes', () => {
  it('require a session, except for a known few', () => {
    const open = portalRoutes().filter(
      ({ handler, controller }) => authenticationOf(handler, controller) !== 'PortalGuard',
    );
    expect(open.map(named).sort()).toEqual([
      'GET /portal/callback',
      'GET /portal/sign-in',
      'GET /portal/signed-out',
      'GET /portal/static/:name',
      'POST /portal/backchannel-logout',
      'POST /portal/language',
      'POST /portal/theme',
    ]);
  });

  it('require a role, unless they concern one’s own session or what any admin may stop', () => {
    const own = portalRoutes().filter(
      ({ handler, controller }) =>
        authenticationOf(handler, controller) === 'PortalGuard' &&
        actionOf(handler, controller) === undefined,
    );
    expect(own.map(named).sort()).toEqual([
      'GET /portal',
      'GET /portal/*',
      'GET /portal/break-glass',
      'GET /portal/confirm/:id',
      'GET /portal/confirm/:id/prove',
      'GET /portal/sessions',
      'POST /portal/break-glass/stop',
      'POST /portal/sessions/end',
      'POST /portal/sessions/end-all',
      'POST /portal/sign-out',
    ]);
  });

  it('show nothing and do nothing without a session', async () => {
    for (const route of behindRoles()) {
      const { status, location } = await ask(route);
      expect({ route: named(route), status }).toEqual({
        route: named(route),
        status: route.method === 'GET' ? 303 : 401,
      });
      if (route.method === 'GET') expect(location).toMatch(/^\/portal\/sign-in\?back=%2Fportal/);
    }
  });

  it.each(Object.keys(held))('admit %s exactly as the table says', async (subject) => {
    const roles = held[subject] ?? [];
    const routes = behindRoles();
    expect(routes.length).toBeGreaterThan(0);
    for (const route of routes) {
      const action = actionOf(route.handler, route.controller);
      if (!action) throw new TypeError('it stands behind a role');
      const merchantId = route.pattern.includes(':merchantId') ? 'm1' : undefined;
      const { status, body } = await ask(route, subject);
      const told = { route: named(route), subject, status, isForbidden: body.includes(forbidden) };
      const about = { route: named(route), subject };
      if (merchantId !== undefined && !permits(roles, 'merchant.see', merchantId))
        expect(told).toEqual({ ...about, status: 404, isForbidden: false });
      else if (!permits(roles, action, merchantId))
        expect(told).toEqual({ ...about, status: 403, isForbidden: true });
      // A form without its session's token is refused for every person, so nothing happens here.
      else if (route.method === 'POST') {
        expect(told).toMatchObject({ ...about, isForbidden: false });
        expect(told.status).toBeGreaterThanOrEqual(400);
      } else expect([401, 403]).not.toContain(told.status);
    }
  });
});

/** All parameters that pages read from their query. */
const parameters = [
  ...[
    'account',
    'after',
    'at',
    'batch',
    'before',
    'clock',
    'cursor',
    'date_field',
    'day',
    'done',
    'failing',
    'format',
  ],
  ...['from', 'kind', 'merchant', 'mode', 'open', 'person', 'q', 'reference', 'span', 'status'],
  ...['to', 'type', 'up_to', 'why'],
];

describe('a page of the portal', () => {
  const days = ['at', 'day', 'from', 'to'];
  it.each<[string, readonly string[]]>([
    [`"><script>alert(1)</script>\u202e`, parameters],
    ['\0', parameters],
    ['__proto__', parameters],
    ['constructor', parameters],
    ['0001-01-01', days],
    ['9999-12-31', days],
  ])('shows %j from its address as text, and does not break', async (typed, names) => {
    const headers = await browserOf('all');
    const query = names.map((name) => `${name}=${encodeURIComponent(typed)}`).join('&');
    for (const route of behindRoles().filter(({ method }) => method === 'GET')) {
      const own = route.pattern.replace(':merchantId', 'm1').replace(':mode', 'demo');
      const path = own.replaceAll(/:\w+/g, encodeURIComponent(typed));
      for (const url of [own === path ? [] : path, `${targetOf(route)}?${query}`].flat()) {
        const { statusCode, body } = await app.inject({ url, headers });
        expect({ url, isDefect: statusCode === 500 }).toEqual({ url, isDefect: false });
        expect(foreignMarkup(body)).toEqual([]);
        expect(body).not.toContain('[native code]');
      }
    }
  });

  it.each([
    ['owner of m1', '/portal/merchants/m1/demo/transactions', '2999-01-01', 422],
    ['owner of m1', '/portal/merchants/m1/demo/transactions', '999999999999999', 422],
    ['owner of m1', '/portal/merchants/m1/demo/transactions/export.csv', '2999-01-01', 422],
    ['owner of m1', '/portal/merchants/m1/demo/transactions', '0', 200],
    ['owner of m1', '/portal/merchants/m1/demo/transactions', '2024-01-15', 200],
    ['auditor', '/portal/audit/roles', '2999-01-01', 422],
    ['auditor', '/portal/audit/roles', '2024-01-15', 200],
  ])('for %s, %s as of %s gives %i: no future is shown', async (subject, page, at, status) => {
    const { statusCode, body } = await app.inject({
      url: `${page}?at=${at}`,
      headers: await browserOf(subject),
    });
    expect([statusCode, body.includes('aria-invalid="true"')]).toEqual([status, status === 422]);
  });

  it('fills in a correction form from a link, but never the reason or the permission to overdraw', async () => {
    const of = { merchant: 'm1', mode: 'demo', legs: 'fees=-5' };
    const fields = { ...of, reason: 'typed by a link', may_overdraw: 'on' };
    const query = new URLSearchParams();
    for (const [name, text] of Object.entries(fields)) query.set(`correction_${name}`, text);
    const { body } = await app.inject({
      url: `/portal/corrections/new?${query.toString()}`,
      headers: await browserOf('admin'),
    });
    expect(body).toContain('value="0.05"');
    expect(body).not.toContain('typed by a link</textarea>');
    expect(body).not.toContain(' checked');
  });

  it('rejects a form with a null character', async () => {
    const asAnybody = await ownerOf('m1');
    for (const target of ['transactions/views/drop', 'signature', 'payouts/approve']) {
      const answer = await asAnybody({ method: 'POST', target, form: { name: 'a\0' } });
      expect({ target, status: answer.statusCode }).toEqual({ target, status: 400 });
    }
  });
});

describe('the status page, while a server that knows the viewer is away', () => {
  type Headers = Awaited<ReturnType<typeof browserOf>>;
  const statusPage = '/portal/status';
  const get = async (url: string, headers: Headers) => {
    const { statusCode, body } = await app.inject({ url, headers });
    return { status: statusCode, body };
  };
  /** Returns the cookies of a browser that was just shown an operator's page, and the cookie that the page set. */
  const shownBefore = async (subject: string) => {
    const headers = await browserOf(subject);
    const { headers: answered } = await app.inject({ url: '/portal/find', headers });
    const [set = ''] = [answered['set-cookie'] ?? []].flat();
    const [pass = ''] = set.split(';');
    return { headers, set, pass, both: { ...headers, cookie: `${headers.cookie}; ${pass}` } };
  };
  /** Holds the records of sessions, so that no statement about them ends. */
  const sessionsHang = (ask: () => Promise<void>) =>
    app.get(Database).transaction(async (transaction) => {
      // The transaction is idle until the pages are there.
      await transaction.query('set local idle_in_transaction_session_timeout = 0');
      await transaction.query('lock table records.portal_sessions in access exclusive mode');
      await ask();
    });
  const directoryIs = (state: typeof directory) => async (ask: () => Promise<void>) => {
    directory = state;
    try {
      await ask();
    } finally {
      directory = 'well';
    }
  };

  it.each([
    ['roles are down', directoryIs('down'), ['/portal/find']],
    // Other pages wait until the statement or the directory gives up.
    ['sessions hang', sessionsHang, []],
    ['roles hang', directoryIs('hung'), []],
  ])('is shown for its cookie, and no other page is: %s', async (_, whileAway, pages) => {
    const [one, other] = [await shownBefore('support'), await shownBefore('viewer')];
    expect(one.set).toMatch(
      /^portal-status=[^;]+; Path=\/portal\/status; HttpOnly;.*Max-Age=3600$/,
    );
    const others = { ...other.headers, cookie: `${other.headers.cookie}; ${one.pass}` };
    await whileAway(async () => {
      const [shown, ...refused] = await Promise.all([
        get(statusPage, one.both),
        get(statusPage, one.headers),
        get(statusPage, others),
        ...pages.map((page) => get(page, one.both)),
      ]);
      expect(shown.status).toBe(200);
      expect(shown.body).toContain('sign-in cannot be checked');
      // Approvals, deliveries, missed money, the float, the money and the plots are merchants' data.
      expect(shown.body.split('Shown again when your sign-in can be checked.')).toHaveLength(8);
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
      for (const { body } of refused) expect(body).not.toMatch(/postgres|event store/i);
    });
    const { body } = await get(statusPage, one.both);
    expect(body).not.toContain('sign-in cannot be checked');
  });

  /** The part of the page with this anchor. */
  const partOf = (body: string, anchor: string): string => {
    const [, from = ''] = body.split(`<section id="${anchor}"`);
    return from.split('</section>')[0] ?? '';
  };
  /** The guard, the question to each server and one part may take 12 s; a busy machine takes longer. */
  const withinMs = 90_000;
  const shownWithin = async (headers: Headers): Promise<string> => {
    const startedAt = performance.now();
    const { status, body } = await get(statusPage, headers);
    expect([status, performance.now() - startedAt < withinMs]).toEqual([200, true]);
    return body;
  };

  it('names a Postgres that hangs, part by part, and shows what the other servers know', async () => {
    const one = await shownBefore('support');
    link.loseAnswers();
    try {
      const body = await shownWithin(one.both);
      expect(partOf(body, 'postgres')).toContain('no answer in time');
      for (const part of [
        'processes',
        'views',
        'callbacks',
        'rail',
        'pauses',
        'payouts',
        'reviews',
      ])
        expect([part, partOf(body, part)]).toEqual([
          part,
          expect.stringContaining('postgres does not answer'),
        ]);
      for (const part of ['redis', 'event-store', 'seals', 'drill', 'circuits'])
        expect([part, partOf(body, part)]).toEqual([
          part,
          expect.not.stringMatching(/not answer|no answer/),
        ]);
    } finally {
      link.heal();
    }
    await eventually(
      () => get(statusPage, one.headers),
      ({ body }) => !/not answer|sign-in cannot be checked/.test(body),
    );
  });

  it('gives up a part whose reads hang while Postgres answers, and shows all others', async () => {
    const one = await shownBefore('support');
    await throwAway.database.transaction(async (transaction) => {
      await transaction.query('set local idle_in_transaction_session_timeout = 0');
      const schema = viewSchema();
      await transaction.query(`lock table ${schema}.open_payouts in access exclusive mode`);
      await transaction.query('lock table records.webhook_deliveries in access exclusive mode');
      const body = await shownWithin(one.headers);
      for (const part of ['payouts', 'webhooks'])
        expect([part, partOf(body, part)]).toEqual([part, expect.stringContaining('Not known: ')]);
      for (const part of ['postgres', 'processes', 'views', 'callbacks', 'missed', 'audit-check'])
        expect([part, partOf(body, part)]).toEqual([
          part,
          expect.not.stringMatching(/not answer|no answer/),
        ]);
    });
  });

  it('is not shown to a person whose roles never showed it', async () => {
    const { set } = await shownBefore('owner of m1');
    expect(set).toBe('');
  });

  it('is not shown to a known person without permission, whatever cookies the browser sends', async () => {
    const [one, owner] = [await shownBefore('support'), await browserOf('owner of m1')];
    const cookie = `${owner.cookie}; ${one.pass}`;
    expect((await get(statusPage, { ...owner, cookie })).status).toBe(403);
    const signedOut = await get(statusPage, { ...owner, cookie: one.pass });
    expect(signedOut.status).toBe(303);
  });
});

function behindRoles(): Route[] {
  return portalRoutes().filter(
    ({ handler, controller }) => actionOf(handler, controller) !== undefined,
  );
}

/** The other merchant's ids. */
interface Theirs {
  readonly reference: string;
  readonly payout: string;
  readonly batch: string;
  readonly webhookId: string;
  readonly credentialId: string;
  readonly accountNo: string;
  readonly viewName: string;
  readonly accessRequestId: string;
  /** The id of their owner's form that waits for a proof of presence. */
  readonly heldId: string;
}

/** Returns ids in the same form that exist nowhere. */
function madeUp(): Theirs {
  const run = randomUUID();
  return {
    reference: `INV-${run}`,
    payout: `P-${run}`,
    batch: `B-${run}`,
    webhookId: randomUUID(),
    credentialId: randomUUID(),
    accountNo: '100000009009',
    viewName: `view ${run}`,
    accessRequestId: randomUUID(),
    heldId: newSecret(),
  };
}

/** A past day for any clock, without a posting of any merchant. */
const date = '2024-01-15';

/** A request to a merchant's page, or to another path if the target begins with a slash. */
interface WithIds {
  readonly method: Route['method'];
  readonly pattern: string;
  readonly target: string;
  readonly form?: Readonly<Record<string, string>>;
  /** The text of a file beside the form's fields, in the field of this name. */
  readonly file?: readonly [field: string, text: string];
  /** The status if the id is not the merchant's; 404 by default. */
  readonly status?: number;
}

/** Every page and form that takes an id in its path, its query, a field or beside a file. */
function requestsWith(ids: Theirs): readonly WithIds[] {
  const { reference, payout, batch, webhookId, credentialId, viewName, heldId } = ids;
  const { accountNo: account, accessRequestId } = ids;
  const get = (pattern: string, target: string, status?: number): WithIds => ({
    method: 'GET',
    pattern,
    target,
    ...(status !== undefined && { status }),
  });
  const post = (
    target: string,
    form: WithIds['form'] = {},
    more: Partial<WithIds> = {},
  ): WithIds => ({
    method: 'POST',
    pattern: target,
    target,
    form,
    ...more,
  });
  const amount_minor = '4000';
  const days = `from=${date}&to=${date}`;
  return [
    get('items/:type/:reference', `items/collection/${reference}`),
    get('items/:type/:reference', `items/payout/${payout}`),
    get('items/:type/:reference/receipt', `items/collection/${reference}/receipt`),
    get('items/:type/:reference/receipt.json', `items/collection/${reference}/receipt.json`),
    get('items/collection/:reference/refund', `items/collection/${reference}/refund`),
    ...['/check', ''].map((step) =>
      post(
        `items/collection/${reference}/refund${step}`,
        { amount: '40', phone: '0712345678', reference: 'own-3' },
        { pattern: `items/collection/:reference/refund${step}` },
      ),
    ),
    get('transactions', `transactions?batch=${batch}`, 200),
    get('transactions/export.csv', `transactions/export.csv?batch=${batch}`, 200),
    get('payouts/waiting/:reference', `payouts/waiting/${payout}`),
    get('payouts/batches/:reference', `payouts/batches/${batch}`),
    get('webhooks/:id', `webhooks/${webhookId}`),
    get('days/:date', `days/${date}?account=${account}`),
    get('days', `days?account=${account}`),
    get('statement/file', `statement/file?account=${account}&${days}&format=csv`),
    post(
      'payouts',
      { account, phone: '0712345678', amount: '40', reference: 'own-1' },
      { status: 422 },
    ),
    post(
      'payouts/check',
      { account, phone: '0712345678', amount: '40', reference: 'own-1' },
      { status: 422 },
    ),
    post('payouts/approve', { reference: payout, amount_minor }),
    post('payouts/reject', { reference: payout, amount_minor }),
    post('payouts/cancel', { reference: payout }),
    post('payouts/batches/cancel', { reference: batch }),
    post('payouts/approve', { held: heldId }, { status: 403 }),
    post(
      'payouts/batches',
      { account, reference: 'own-2' },
      { file: ['file', 'reference,phone,amount\nw-1,0712345678,40\n'], status: 422 },
    ),
    post('payouts/batches/approve', { reference: batch, amount_minor, count: '1' }),
    post('payouts/batches/reject', { reference: batch, amount_minor, count: '1' }),
    post(
      `days/${date}/statement`,
      { account },
      {
        pattern: 'days/:date/statement',
        file: ['statement', 'a,b\n'],
      },
    ),
    post(
      `days/${date}/exceptions`,
      { account, seen: 'x', line: '0', note: 'mine' },
      {
        pattern: 'days/:date/exceptions',
      },
    ),
    get('keys/:id', `keys/${credentialId}`),
    post('keys/new', { holder: 'mine', reason: 'mine' }, { status: 422 }),
    post(
      `keys/${credentialId}/ips`,
      { ips: '10.0.0.1', reason: 'mine' },
      { pattern: 'keys/:id/ips' },
    ),
    post(`keys/${credentialId}/revoke`, { reason: 'mine' }, { pattern: 'keys/:id/revoke' }),
    post('access/withdraw', { request: accessRequestId }, { status: 409 }),
    post('team/ask', { person: credentialId, role: 'owner', reason: 'mine' }, { status: 422 }),
    post(
      'team/ask-removal',
      { person: 'https://id.example#owner of m2', role: 'owner', reason: 'mine' },
      { status: 409 },
    ),
    // Whichever endpoint another merchant has, a bad form writes nothing.
    post('webhooks/endpoint/set', { kind: 'v4', url: 'x', reason: 'mine' }, { status: 422 }),
    ...['rotate', 'disable', 'enable', 'test'].map((change) =>
      post(`webhooks/endpoint/${change}`, { kind: 'v4', reason: 'mine', type: 'payout.failed' }),
    ),
    post(
      'webhooks/failed/resend',
      { since: `${date}T00:00:00.000Z`, until: `${date}T23:00:00.000Z` },
      { status: 200 },
    ),
    post('webhooks/resend', { delivery: `${webhookId} v4` }),
    post(`webhooks/${webhookId}/resend`, { kind: 'v4' }, { pattern: 'webhooks/:id/resend' }),
    post('transactions/find', { word: reference }, { status: 200 }),
    post('transactions/views', { name: 'own', query: `batch=${batch}` }, { status: 303 }),
    post('transactions/views/drop', { name: viewName }, { status: 303 }),
    get('/portal/confirm/:id', `/portal/confirm/${heldId}`, 403),
    get('/portal/confirm/:id/prove', `/portal/confirm/${heldId}/prove`, 403),
  ];
}

/** Gives the second merchant a collection, a payout, a batch and a webhook. */
async function thingsOfAnother(): Promise<Omit<Theirs, 'heldId'>> {
  const [database, store] = [app.get(Database), app.get(EventStoreDb)];
  const of = {
    merchantId: 'm2',
    mode: 'demo',
    accountNo: '100000009002',
    currency: 'KES',
  } as const;
  // Other specs share the log, so each run has its own references.
  const theirs = { ...madeUp(), accountNo: of.accountNo };
  const { reference, payout, batch, webhookId, credentialId, accessRequestId } = theirs;
  const asked = { ...of, amountMinor: 4000n, channel: 'mpesa', holder: 'asha' };
  const item = { ...asked, feeMinor: 60n, phoneHmac: 'h', phoneMasked: '2547*****678' };
  const first: Readonly<Record<string, EventRecord>> = {
    [collectionStream({ ...of, reference })]: collectionIntent({ ...of, reference }),
    [payoutStream({ ...of, reference: payout })]: {
      type: 'PayoutRequested',
      data: { ...item, reference: payout },
    },
    [payoutBatchStream({ ...of, reference: batch })]: {
      type: 'PayoutBatchRequested',
      data: { ...asked, reference: batch, references: [`${batch}-1`], count: 1 },
    },
  };
  const actor = { kind: 'credential', id: 'spec', holder: 'asha' } as const;
  const metadata = { v: 1, correlationId: reference, actor, commitment: 'c' };
  for (const [stream, event] of Object.entries(first))
    await store.append(stream, 'no_stream', [{ id: randomUUID(), event, metadata }]);
  await database.query(
    `insert into records.webhook_deliveries (webhook_id, kind, merchant_id, mode, sequence, type, owed_at)
       values ($1, 'v4', 'm2', 'demo', 1, 'collection.completed', '2024-01-15T09:00:00Z')`,
    [webhookId],
  );
  const stored = await app.get(AccessRequests).ask({
    id: accessRequestId,
    kind: 'ip_list',
    merchantId: 'm2',
    mode: 'live',
    about: credentialId,
    details: JSON.stringify({ merchantId: 'm2', credentialId, ipRanges: ['10.0.0.9'] }),
    reason: 'spec',
    askedBy: 'https://id.example#owner of m2',
  });
  expect(stored.ok).toBe(true);
  await database.query(
    `insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, ip_ranges, revoked)
       values ($1, 'm2', 'v4', 'demo', 'asha', $1, '{10.0.0.0/8}', false)`,
    [credentialId],
  );
  return theirs;
}

/**
 * Everything that a request could have written for the second merchant, or for the first except a saved view of its
 * own.
 */
async function written({ reference, payout, batch }: Theirs): Promise<unknown> {
  const [database, store] = [app.get(Database), app.get(EventStoreDb)];
  const streamsOf = (merchantId: string): readonly string[] => {
    const key = { merchantId, mode: 'demo' } as const;
    return [
      collectionStream({ ...key, reference }),
      ...[payout, 'own-1', 'w-1'].map((of) => payoutStream({ ...key, reference: of })),
      ...[batch, 'own-2'].map((of) => payoutBatchStream({ ...key, reference: of })),
    ];
  };
  return {
    revisions: await Promise.all(
      ['m1', 'm2']
        .flatMap(streamsOf)
        .map(async (stream) => (await store.readLast(stream))?.revision),
    ),
    deliveries: await database.query('select * from records.webhook_deliveries'),
    heldForms: await database.query('select * from records.portal_held_forms'),
    views: await database.query(`select * from records.saved_views where merchant_id = 'm2'`),
    handled: await database.query('select * from records.handled_exceptions'),
    accessRequests: await database.query('select * from records.access_requests'),
    kept: await database.query('select count(*) as count from records.sealed_messages'),
  };
}

type Asking = (request: Omit<WithIds, 'pattern'>) => ReturnType<NestFastifyApplication['inject']>;

/** Signs in an owner of the merchant only, with the form token. */
function ownerOf(merchantId: string): Promise<Asking> {
  return signedInAt(merchantId, `owner of ${merchantId}`);
}

/** The same of a person with any role that shows the merchant's pages. */
async function signedInAt(merchantId: string, subject: string): Promise<Asking> {
  const headers = await browserOf(subject);
  const base = `/portal/merchants/${merchantId}/demo`;
  const first = await app.inject({ url: `${base}/transactions`, headers });
  const form_token = /name="form_token" value="([^"]+)"/.exec(first.body)?.[1] ?? '';
  return async ({ method, target, form, file }) => {
    const sent = form && (await encoded({ form_token, ...form }, file));
    return app.inject({
      method,
      url: target.startsWith('/') ? target : `${base}/${target}`,
      headers: { ...headers, ...(sent && { 'content-type': sent.type }) },
      ...(sent && { payload: sent.payload }),
    });
  };
}

/** Encodes a form as browsers send it: in parts if it has a file. */
async function encoded(fields: Readonly<Record<string, string>>, file: WithIds['file']) {
  const form = file ? new FormData() : new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file && form instanceof FormData) form.append(file[0], new Blob([file[1]]), 'file.csv');
  const response = new Response(form);
  const type = response.headers.get('content-type') ?? '';
  return { type, payload: Buffer.from(await response.arrayBuffer()) };
}

describe('a merchant’s pages, requested with another merchant’s ids', () => {
  it('answer as if the id did not exist, write nothing, and show it to its own people', async () => {
    const existing = await thingsOfAnother();
    const [other, own] = [await ownerOf('m1'), await ownerOf('m2')];
    const { payout, viewName } = existing;
    const form = { reference: payout, amount_minor: '4000' };
    const held = await own({ method: 'POST', target: 'payouts/approve', form });
    const heldId =
      /^\/portal\/confirm\/([\w-]{43})$/.exec(String(held.headers.location))?.[1] ?? '';
    await own({
      method: 'POST',
      target: 'transactions/views',
      form: { name: viewName, query: '' },
    });
    const theirs = { ...existing, heldId };
    const nothing = madeUp();
    const others = requestsWith(nothing);
    const before = await written(theirs);
    expect(before).toMatchObject({
      deliveries: [{}],
      heldForms: [{}],
      views: [{}],
      accessRequests: [{}],
    });
    for (const [index, request] of requestsWith(theirs).entries()) {
      const { method, target, status = 404 } = request;
      const answer = await other(request);
      expect({ method, target, status: answer.statusCode }).toEqual({ method, target, status });
      const unknown = await other(others[index] ?? request);
      expect(toldBy(answer, theirs)).toEqual(toldBy(unknown, nothing));
    }
    expect(await written(theirs)).toEqual(before);
    for (const request of requestsWith(theirs)) {
      // The issuer does not answer here.
      if (request.method === 'POST' || request.target.endsWith('/prove')) continue;
      const { target } = request;
      const { statusCode } = await own(request);
      // The collection is pending, so its own people find no receipt of it either, and it cannot be refunded yet.
      const shown = target.endsWith('/receipt') ? 404 : target.endsWith('/refund') ? 409 : 200;
      expect({ target, statusCode }).toEqual({ target, statusCode: shown });
    }
  });

  it('are all covered: each route that takes an id is requested', () => {
    const base = '/portal/merchants/:merchantId/:mode/';
    const asked = new Set(
      requestsWith(madeUp()).map(({ method, pattern }) => `${method} ${pattern}`),
    );
    const others = portalRoutes()
      .filter(
        ({ method, pattern }) =>
          pattern.startsWith(base) && (method === 'POST' || /:/.test(pattern.slice(base.length))),
      )
      .map(({ method, pattern }) => `${method} ${pattern.slice(base.length)}`)
      .filter((route) => !asked.has(route));
    // The text pasted there names nothing that we store.
    expect(others).toEqual(['POST signature']);
  });
});

/** The answer without the names of the requested thing and without the request's id. */
function toldBy({ body, headers }: Awaited<ReturnType<Asking>>, ids: Theirs): string {
  const named = (text: string): string =>
    Object.entries(ids)
      .reduce((told, [name, id]: readonly [string, string]) => told.replaceAll(id, name), text)
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'request');
  return named(`${String(headers.location)}
${body}`);
}

describe('payouts in the portal', () => {
  const phone = '254712345678';
  const idOf = (subject: string) => personId({ issuer: 'https://id.example', subject });
  // Other runs share the log, so each has a wallet of its own.
  const wallet = {
    merchantId: 'm1',
    mode: 'demo',
    accountNo: `2${String(randomInt(1e9)).padStart(11, '0')}`,
    currency: 'KES',
  } as const;
  const bound = { amountMinor: 4000n, phoneHmac: '' };
  const approved = { type: 'PayoutApproved', data: { ...bound, holder: 'joseph' } };
  const started = { type: 'RailPayoutStarted', data: { originatorConversationId: 'pp-1' } };
  let totalMinor = 0n;

  beforeAll(() => {
    bound.phoneHmac = app.get(PayoutPhones).tracesOf(phone).phoneHmac;
    approved.data.phoneHmac = bound.phoneHmac;
  });

  const append = async (stream: string, ...events: readonly EventRecord[]) => {
    const actor = { kind: 'credential', id: 'spec', holder: 'asha' } as const;
    const metadata = { v: 1, correlationId: 'spec', actor, commitment: 'c' };
    const written = events.map((event) => ({ id: randomUUID(), event, metadata }));
    const store = app.get(EventStoreDb);
    const { revision } = (await store.readLast(stream)) ?? {};
    await store.append(stream, revision ?? 'no_stream', written);
  };
  const eventsOf = (stream: string) => app.get(EventStoreDb).readStream(stream);
  const lastOf = async (stream: string) => (await eventsOf(stream)).at(-1);
  const typesOf = async (stream: string) => (await eventsOf(stream)).map(({ type }) => type);
  const reservations = reservationsStream(wallet);

  /** A payout of the first merchant whose money is reserved. */
  const reserved = async (
    reference: string,
    {
      batch,
      since = [],
    }: { readonly batch?: string; readonly since?: readonly EventRecord[] } = {},
  ): Promise<string> => {
    const stream = payoutStream({ ...wallet, reference });
    const data = { ...wallet, ...bound, feeMinor: 60n, channel: 'mpesa', reference };
    const who = { phoneMasked: '2547*****678', holder: idOf('finance of m1') };
    const ofBatch = batch === undefined ? {} : { batch };
    totalMinor += 4060n;
    await append(stream, { type: 'PayoutRequested', data: { ...data, ...who, ...ofBatch } });
    await append(reservations, {
      type: 'FundsReserved',
      data: { source: stream, amountMinor: 4060n, totalMinor },
    });
    const { revision = 0n } = (await lastOf(reservations)) ?? {};
    const { phoneHmac } = bound;
    await app.get(PayoutPhones).keep(stream, phoneHmac, phone);
    const reservationsRevision = String(revision);
    await append(stream, { type: 'PayoutReserved', data: { reservationsRevision } }, ...since);
    return stream;
  };

  /** A batch of two such payouts. */
  const reservedBatch = async (
    reference: string,
    { isApproved = false, since = [] as readonly EventRecord[] } = {},
  ): Promise<{ readonly batch: string; readonly items: readonly string[] }> => {
    const batch = payoutBatchStream({ ...wallet, reference });
    const references = [`${reference}-1`, `${reference}-2`];
    const sums = { count: 2, amountMinor: 8000n };
    const request = { ...wallet, ...sums, channel: 'mpesa', reference, references };
    const holder = idOf('finance of m1');
    await append(batch, { type: 'PayoutBatchRequested', data: { ...request, holder } });
    if (isApproved)
      await append(batch, { type: 'PayoutBatchApproved', data: { ...sums, holder: 'joseph' } });
    const all = isApproved ? [approved, ...since] : since;
    const items = [];
    for (const one of references) items.push(await reserved(one, { batch: reference, since: all }));
    return { batch, items };
  };

  const cancel = async (
    subject: string,
    what: 'payouts' | 'payouts/batches',
    reference: string,
  ) => {
    const person = await signedInAt('m1', subject);
    const target = `${what}/cancel`;
    const { statusCode, headers, body } = await person({
      method: 'POST',
      target,
      form: { reference },
    });
    return { status: statusCode, location: String(headers.location), body };
  };
  const [owner, asker] = ['owner of m1', 'finance of m1'];
  const cancelled = {
    status: 303,
    location: '/portal/merchants/m1/demo/payouts?done=cancelled',
  };
  const tooLate = { status: 409, body: expect.stringContaining('can no longer be cancelled') };
  const byOwner = {
    data: { reason: 'cancelled', holder: idOf(owner) },
    metadata: { actor: { kind: 'operator', id: idOf(owner) } },
  };

  it.each([
    ['waits for approval', []],
    ['is approved', [approved]],
  ])(
    'one that %s is cancelled by one person, named in the event; a repeat adds nothing',
    async (state, since) => {
      const reference = `C-${randomUUID()}`;
      const stream = await reserved(reference, { since });
      expect(await cancel(owner, 'payouts', reference)).toMatchObject(cancelled);
      expect(await lastOf(stream)).toMatchObject({ type: 'PayoutRejected', ...byOwner });
      expect(await lastOf(reservations)).toMatchObject({
        type: 'ReservationReleased',
        data: { source: stream },
      });
      totalMinor -= 4060n;
      const before = await typesOf(stream);
      for (const who of [owner, asker])
        expect(await cancel(who, 'payouts', reference)).toMatchObject(cancelled);
      expect({ state, types: await typesOf(stream) }).toEqual({ state, types: before });
    },
  );

  it('one that was given to the rail is too late to cancel', async () => {
    const reference = `C-${randomUUID()}`;
    const stream = await reserved(reference, { since: [approved, started] });
    expect(await cancel(owner, 'payouts', reference)).toMatchObject(tooLate);
    expect((await lastOf(stream))?.type).toBe('RailPayoutStarted');
  });

  it.each([
    ['waits for approval', false],
    ['is approved', true],
  ])('a batch that %s is cancelled whole, and a repeat adds nothing', async (_, isApproved) => {
    const reference = `B-${randomUUID()}`;
    const { batch, items } = await reservedBatch(reference, { isApproved });
    expect(await cancel(owner, 'payouts/batches', reference)).toMatchObject(cancelled);
    expect(await lastOf(batch)).toMatchObject({ type: 'PayoutBatchRejected', ...byOwner });
    for (const item of items)
      expect(await lastOf(item)).toMatchObject({
        type: 'PayoutRejected',
        data: { reason: 'cancelled' },
      });
    totalMinor -= 2n * 4060n;
    const before = await typesOf(batch);
    for (const who of [owner, asker])
      expect(await cancel(who, 'payouts/batches', reference)).toMatchObject(cancelled);
    expect(await typesOf(batch)).toEqual(before);
  });

  it('a batch whose payouts were all given to the rail is too late to cancel', async () => {
    const reference = `B-${randomUUID()}`;
    const { batch } = await reservedBatch(reference, { isApproved: true, since: [started] });
    expect(await cancel(owner, 'payouts/batches', reference)).toMatchObject(tooLate);
    expect((await lastOf(batch))?.type).toBe('PayoutBatchApproved');
  });

  it.each(['approve', 'reject'])(
    'to %s one, the sender confirms a page with mode, merchant, requester and last digits',
    async (verdict) => {
      const reference = `A-${randomUUID()}`;
      await reserved(reference);
      const person = await ownerOf('m1');
      const form = { reference, amount_minor: '4000' };
      const target = `payouts/${verdict}`;
      const held = await person({ method: 'POST', target, form });
      const { body } = await person({ method: 'GET', target: String(held.headers.location) });
      const rows = body.slice(body.indexOf('<main'), body.indexOf('</main>'));
      for (const shown of [
        'Demo: no real money',
        'Duka of m1',
        'finance of m1',
        '2547*****678 (ends in 5678)',
        'KES 40.00',
        reference,
        wallet.accountNo,
      ])
        expect(rows).toContain(shown);
      expect(body).not.toContain(phone);
    },
  );

  it('the last digits are shown only to people who may decide', async () => {
    const reference = `A-${randomUUID()}`;
    await reserved(reference);
    const page = async (subject: string) => {
      const person = await signedInAt('m1', subject);
      const { statusCode, body } = await person({
        method: 'GET',
        target: `payouts/waiting/${reference}`,
      });
      return [statusCode, body.includes('ends in 5678')];
    };
    expect(await page(owner)).toEqual([200, true]);
    expect(await page('developer of m1')).toEqual([200, false]);
    expect(await page('support')).toEqual([200, false]);
  });
});
