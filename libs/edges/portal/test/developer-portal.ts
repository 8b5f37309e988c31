import { randomBytes, randomUUID } from 'node:crypto';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Provider, type Type } from '@nestjs/common';
import { expect } from '@jest/globals';
import { adminsInLog, deskRecords, twoAdminRecords, twoAdminsModule } from '#adapters/wiring';
import { type CommandMetadata, EventStore, Pipeline } from '#domain/event-sourcing';
import { Clock, Ids, ok, type Result, Timer } from '#domain/kernel';
import {
  CredentialRevocationModule,
  merchantDecider,
  type MerchantEvent,
  merchantStream,
  WebhookEndpointsModule,
  WebhookSecrets,
} from '#domain/merchants';
import { type HeldRole, PersonSessions, RoleHistory, type RoleSince } from '#domain/people';
import { type EventStoreDb } from '#infra/eventstoredb';
import { Database, ReadDatabase } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { CallRecords } from '#records/credentials';
import { AccessRequests, RecordedPersonSessions } from '#records/people';
import { EndpointSecrets, RecordedWebhookSecrets } from '#records/webhooks';
import { Keyring } from '#shared/signing';
import { createViews, noteFresh, viewSchema } from '#views/view-set';
import {
  freePort,
  openStore,
  type OwnServers,
  redisNamespace,
  startOwnServers,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { Colleagues } from '../src/merchant/colleagues.js';
import { EndpointController } from '../src/merchant/developer/endpoint.controller.js';
import {
  DeveloperPagesOptions,
  EndpointTools,
  type TestOutcome,
  type TestRefusal,
  TestWebhooks,
} from '../src/merchant/developer/ports.js';
import { FailedWebhooksController } from '../src/merchant/developer/failed.controller.js';
import { KeyFormReader, KeyTools } from '../src/merchant/developer/key-form-reader.js';
import { KeyFormsController } from '../src/merchant/developer/key-forms.controller.js';
import { KeysController } from '../src/merchant/developer/developer.controller.js';
import { Resender } from '../src/merchant/developer/resender.js';
import { AccessController } from '../src/merchant/access/access.controller.js';
import { AccessDesk } from '../src/merchant/access/access-desk.js';
import { OwnCredentials } from '../src/merchant/developer/own-credentials.js';
import { TeamController, TeamReader } from '../src/merchant/developer/team.controller.js';
import { WebhooksController } from '../src/merchant/developer/webhooks.controller.js';
import { MerchantPagesOptions } from '../src/merchant/options.js';
import { Places } from '../src/merchant/place.js';
import { Browser } from './browser.js';
import { FakeIssuer } from './fake-issuer.js';
import { GivenRoles, startPortal } from './portal.js';

/** Answers test events as the spec says. */
export class AnsweredTests extends TestWebhooks {
  answer: Result<TestOutcome, TestRefusal> = ok({
    outcome: 'delivered',
    status: 204,
    durationMs: 3,
  });
  readonly sent: unknown[] = [];

  override send(
    ...[wanted, { actor }]: Parameters<TestWebhooks['send']>
  ): ReturnType<TestWebhooks['send']> {
    this.sent.push({ ...wanted, by: actor.id });
    return Promise.resolve(this.answer);
  }
}

type Fields = Readonly<Record<string, string>>;

/** Beside a merchant's pages: other pages, and a log of the spec's own, if roles in the log count. */
interface Beside {
  readonly controllers?: readonly Type[];
  readonly providers?: readonly Provider[];
  readonly modules?: readonly Type[];
  readonly hasOwnLog?: boolean;
}

/** The pages of a merchant's developers on real servers, with one merchant in both modes. */
export class DeveloperPortal {
  readonly merchantId = randomUUID();
  readonly roles = new GivenRoles();
  readonly tests = new AnsweredTests();
  /** The roles of all people, as the log would have them. */
  held: readonly RoleSince[] = [];
  readonly keyring = Keyring.from([{ id: 'k', bytes: randomBytes(32) }]);
  readonly issuer = new FakeIssuer();
  database!: Database;
  store!: EventStoreDb;
  private postgres!: ThrowAwayDatabase;
  private redis!: RedisStore;
  private app!: NestFastifyApplication;
  private origin = '';
  private servers: OwnServers | undefined;

  constructor(private readonly beside: Beside = {}) {}

  async start(): Promise<void> {
    const logger = createLogger({ app: 'spec', level: 'silent' });
    this.postgres = await throwAwayDatabase();
    await createViews(this.postgres.database, viewSchema());
    this.database = this.postgres.database.beside({ searchPath: [viewSchema()], poolSize: 4 });
    this.redis = new RedisStore({ ...redisNamespace(), logger });
    const { controllers = [], providers = [], modules = [], hasOwnLog } = this.beside;
    if (hasOwnLog) this.servers = await startOwnServers();
    this.store = openStore(this.servers?.env['EVENTSTORE_URL']);
    const port = await freePort();
    this.origin = `http://localhost:${port}`;
    await Promise.all([this.redis.start(), this.issuer.start()]);
    await this.fillViews();
    const { database, redis, issuer, roles, keyring } = this;
    const pages = {
      controllers: [
        KeyFormsController,
        KeysController,
        TeamController,
        AccessController,
        EndpointController,
        FailedWebhooksController,
        WebhooksController,
        ...controllers,
      ],
      providers: [
        ...[EndpointTools, KeyFormReader, Places, Colleagues, Resender],
        ...[AccessDesk, KeyTools, OwnCredentials, TeamReader],
        ...providers,
      ],
      infrastructure: this.infrastructure(logger),
      modules: [CredentialRevocationModule, WebhookEndpointsModule, twoAdminsModule(), ...modules],
    };
    const metrics = new Metrics();
    this.app = await startPortal({ database, redis, issuer, roles, keyring, port, metrics, pages });
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.issuer.stop();
    await this.redis.close();
    await this.store.dispose();
    await this.servers?.stop();
    await this.database.close();
    await this.postgres.drop();
  }

  /** Signs a person in who has these roles at the merchant, or as an operator. */
  async signedIn(
    subject: string,
    ...held: readonly (HeldRole | 'owner' | 'developer' | 'finance')[]
  ) {
    const { merchantId } = this;
    this.roles.of.set(
      subject,
      held.map((role) => (typeof role === 'string' ? { role, merchantId } : role)),
    );
    const one = new Browser(this.origin, this.issuer);
    expect((await one.signIn({ subject })).status).toBe(303);
    return one;
  }

  /** The address of a page of the merchant. */
  page(path: string, mode = 'demo'): string {
    return `/portal/merchants/${this.merchantId}/${mode}/${path}`;
  }

  /** Sends a form with its session's token, and no proof of presence. */
  async send(one: Browser, target: string, fields: Fields) {
    const { text } = await one.get(this.page('webhooks'));
    const form_token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    return { form_token, answer: await one.post(target, { fields: { form_token, ...fields } }) };
  }

  /** Sends a form and proves presence for it. @returns the confirmation page and the answer to carrying it out */
  async carryOut(one: Browser, subject: string, target: string, fields: Fields) {
    const { form_token, answer: held } = await this.send(one, target, fields);
    expect([held.status, held.location]).toEqual([
      303,
      expect.stringMatching(/^\/portal\/confirm\//),
    ]);
    const { text: shown } = await one.get(held.location);
    const { location } = await one.get(`${held.location}/prove`);
    await one.get(this.issuer.approve(location, { subject }));
    const id = held.location.slice(held.location.lastIndexOf('/') + 1);
    return { shown, answer: await one.post(target, { fields: { form_token, held: id } }) };
  }

  /** The events of the merchant's stream. */
  events() {
    return this.store.readStream<MerchantEvent>(merchantStream(this.merchantId));
  }

  /** Appends events to the merchant's stream, as an operator. */
  async append(...events: readonly MerchantEvent[]): Promise<void> {
    const metadata: CommandMetadata = {
      correlationId: 'spec',
      actor: { kind: 'operator', id: 'spec' },
      reason: 'spec',
    };
    const stream = merchantStream(this.merchantId);
    const step = { decider: merchantDecider, stream, metadata };
    await new Pipeline(this.store, new UuidIds()).run(step, () => ok(events));
  }

  /** Sets the endpoint in log and views. */
  async endpointIs(url: string, { enabled = true, mode = 'demo' as const } = {}): Promise<void> {
    const data = { mode, kind: 'v4', url, enabled, secretId: randomUUID() } as const;
    await this.append({ type: 'WebhookEndpointSet', data });
    await this.database.query(
      'delete from webhook_endpoints where merchant_id = $1 and mode = $2',
      [this.merchantId, mode],
    );
    await this.database.query(
      `insert into webhook_endpoints values ($1, $2, 'v4', 1, null, $3, $4, false)`,
      [this.merchantId, mode, url, enabled],
    );
  }

  private async fillViews(): Promise<void> {
    const { database, merchantId } = this;
    // The views are as new as the log, so that no page waits for them.
    await database.query(`update checkpoint set position = 9e18::bigint`);
    await noteFresh(database, 0n, new Date(Date.now() + 3_600_000));
    await database.query(
      `insert into merchants (merchant_id, name, timezone, country) values ($1, 'Duka Tatu', 'Africa/Nairobi', 'KE')`,
      [merchantId],
    );
    await this.append({
      type: 'MerchantRegistered',
      data: { merchantId, name: 'Duka Tatu', timezone: 'Africa/Nairobi', country: 'KE' },
    });
  }

  private infrastructure(logger: ReturnType<typeof createLogger>) {
    const { database, store, keyring } = this;
    return [
      { provide: ReadDatabase, useValue: database },
      { provide: EventStore, useValue: store },
      { provide: Pipeline, useValue: new Pipeline(store, new UuidIds()) },
      { provide: Clock, useValue: new SystemClock() },
      { provide: Timer, useClass: SystemTimer },
      { provide: Ids, useClass: UuidIds },
      {
        provide: MerchantPagesOptions,
        useValue: new MerchantPagesOptions(60_000, logger, '2026-01-01'),
      },
      { provide: DeveloperPagesOptions, useValue: new DeveloperPagesOptions(false, false, true) },
      { provide: TestWebhooks, useValue: this.tests },
      { provide: AccessRequests, useValue: new AccessRequests(database) },
      { provide: CallRecords, useValue: new CallRecords(database) },
      { provide: PersonSessions, useValue: new RecordedPersonSessions(database) },
      { provide: RoleHistory, useValue: { rolesAt: () => Promise.resolve(this.held) } },
      { provide: WebhookSecrets, useValue: new RecordedWebhookSecrets(database, keyring) },
      { provide: EndpointSecrets, useValue: new EndpointSecrets(database, keyring) },
      ...deskRecords,
      ...twoAdminRecords,
      adminsInLog,
    ];
  }
}
