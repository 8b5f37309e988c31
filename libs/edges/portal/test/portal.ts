import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  Controller,
  type DynamicModule,
  Get,
  Module,
  Param,
  Post,
  Req,
  Res,
  type Provider,
  type Type,
} from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type BreakGlass, type HeldRole, type Person, RoleDirectory } from '#domain/people';
import { Database } from '#infra/postgres';
import { RedisStore } from '#infra/redis';
import { Clock } from '#domain/kernel';
import { createLogger, Metrics, type Rate, SystemClock } from '#infra/runtime';
import { createHttpApp, streamedBody, StreamsBody } from '#shared/http';
import { html, type Html } from '#shared/html';
import { Keyring } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { assertForm, formTokenField } from '../src/access/form-token.js';
import { Permits } from '../src/access/permits.js';
import { postedForm } from '../src/access/posted-form.js';
import { type Viewer, viewerOf } from '../src/access/viewer.js';
import { PortalModule, PortalOptions, PresenceRule } from '../src/index.js';
import { merchantTexts } from '../src/merchant/texts-of.js';
import { exportLink, exportProgress } from '../src/merchant/transactions/export-link.js';
import { readUpload } from '../src/merchant/days/upload.js';
import { type Chart, columnChart, counts, lineChart } from '../src/page/charts/index.js';
import { doneOf, sendPage, seeOtherPage } from '../src/page/page.js';
import {
  definitions,
  emptyState,
  field,
  form,
  money,
  notice,
  statusMark,
  table,
  time,
} from '../src/page/parts.js';
import { clientId, clientSecret, type FakeIssuer } from './fake-issuer.js';

/** Roles that a spec gives, by subject. */
export class GivenRoles extends RoleDirectory {
  readonly of = new Map<string, readonly HeldRole[]>();

  announced: BreakGlass | undefined;

  override breakGlass(): Promise<BreakGlass | undefined> {
    return Promise.resolve(this.announced);
  }

  override rolesOf({ subject }: Person): Promise<readonly HeldRole[]> {
    return Promise.resolve(this.of.get(subject) ?? []);
  }
}

/** The forms that the desk below carried out. */
export const carriedOut: Record<string, string>[] = [];

/** Pages like the real ones: one to read, one that decides, and a merchant's. */
@Controller('portal')
class DeskController {
  @Get('desk')
  @Permits('platform.see')
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const viewer = viewerOf(request);
    const content = form(viewer, { action: '/portal/desk', submit: 'Decide', fields: [] });
    sendPage(request, reply, { title: 'Desk', content });
  }

  @Post('desk')
  @Permits('reviews.decide', ({ form: fields }) => ({
    title: `Decide ${fields.get('review') ?? ''}`,
    rows: [['Decision', fields.get('decision') ?? '']],
  }))
  decide(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { form_token: _token, ...fields } = Object.fromEntries(postedForm(request));
    carriedOut.push({ ...fields, by: viewerOf(request).person.subject });
    seeOtherPage(reply, '/portal/desk?done=decided');
  }

  @Post('notes')
  @Permits('webhooks.resend')
  note(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    carriedOut.push({ note: postedForm(request).get('note') ?? '' });
    seeOtherPage(reply, '/portal/desk?done=noted');
  }

  /** A form with a file, which its route reads itself. */
  @Post('files')
  @Permits('webhooks.resend')
  @StreamsBody(1024)
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const body = streamedBody(request);
    if (!body) throw new TypeError('a form without a body');
    const upload = await readUpload(body, viewerOf(request).person);
    try {
      await assertForm(request, upload.fields.get(formTokenField));
      carriedOut.push({ file: upload.fileName ?? '' });
      seeOtherPage(reply, '/portal/desk');
    } finally {
      await upload.close();
    }
  }

  /** A page that refreshes itself, with one of each part. */
  @Get('watch')
  @Permits('platform.see')
  watch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    looks += 1;
    const viewer = viewerOf(request);
    sendPage(request, reply, {
      title: 'Watch',
      place: 'watch',
      refresh: 1,
      done: doneOf(request) === 'noted' ? 'The note is kept.' : undefined,
      content: html`<p id="looks">${looks}</p>
        ${partsShown(viewer)}`,
    });
  }

  /** A page that exports as many rows as its address says. */
  @Get('exports/:rows')
  @Permits('platform.see')
  exports(
    @Param('rows') rows: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const texts = merchantTexts({ language: 'en' });
    const place = { base: `/portal/exports/${rows}` };
    const query = { dateField: 'created_at' } as const;
    sendPage(request, reply, {
      title: 'Exports',
      actions: exportLink({ place, query, rows: BigInt(rows) }, texts),
      content: exportProgress(texts),
    });
  }

  /** The file, a tenth at a time: each time that the spec lets it continue. */
  @Get('exports/:rows/transactions/export.csv')
  @Permits('platform.see')
  exported(@Param('rows') rows: string, @Res() reply: FastifyReply): void {
    void reply
      .header('Content-Disposition', `attachment; filename="transactions-${rows}.csv"`)
      .type('text/csv; charset=utf-8')
      .send(Readable.from(exportedRows(Number(rows))));
  }

  @Get('broken')
  @Permits('platform.see')
  broken(): never {
    throw new TypeError('secret: 42');
  }

  @Get('merchants/:merchantId/:mode/keys')
  @Permits('keys.see')
  keys(
    @Param('merchantId') merchantId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const content = definitions([['Merchant', html`<b>${merchantId}</b>`]]);
    sendPage(request, reply, { title: 'Keys', content });
  }
}

let looks = 0;

/** Steps that an export waits for, so that a spec sees it on its way. A step that fails breaks the file. */
export const exportSteps: Promise<unknown>[] = [];

async function* exportedRows(rows: number): AsyncGenerator<string, void, void> {
  yield 'reference\r\n';
  for (let part = 0; part < 10; part += 1) {
    yield `R-${part}\r\n`.repeat(rows / 10);
    await exportSteps[part];
  }
}

function partsShown(viewer: Viewer): Html {
  const hours = Array.from({ length: 24 }, (_, hour) => hour);
  const values = hours.map((hour) => (hour * 7) % 17);
  const chart: Chart = {
    title: 'Waiting',
    unit: 's',
    language: 'en',
    labels: hours.map((hour) => `${hour}:00`),
    series: [counts('Waiting', 'completed', values)],
  };
  return html`${notice('info', 'A line that informs.')} ${notice('warning', 'A line that warns.')}
  ${table({
    caption: 'Reviews',
    head: ['Reference', 'Status', 'Since', { text: 'Amount', isNumber: true }],
    rows: ['completed', 'failed', 'pending', 'unheard_of'].map((status, index) => [
      html`<a href="/portal/desk">INV-${index}</a>`,
      statusMark(status),
      time(new Date(Date.UTC(2026, 10, 22, index)), 'Africa/Nairobi'),
      money(123_456_700n * BigInt(index), 'KES'),
    ]),
    empty: html``,
  })}
  ${emptyState('No deliveries yet', html`<a href="/docs">Set an endpoint</a>`)}
  ${definitions([
    ['Merchant', 'Duka la Amina'],
    ['Request id', html`<code>018f2c5e-7d7a-7c3b-9b1a-0242ac120002</code>`],
  ])}
  ${columnChart(chart)} ${lineChart(chart)}
  ${form(viewer, {
    action: '/portal/notes',
    submit: 'Keep the note',
    fields: [
      field({ name: 'note', label: 'Note', hint: 'For the next shift.', type: 'textarea' }),
      field({ name: 'reason', label: 'Reason', error: 'Give a reason' }),
      field({
        name: 'kind',
        label: 'Kind',
        options: [
          ['a', 'One'],
          ['b', 'Other'],
        ],
      }),
      field({ name: 'sure', label: 'I am sure', type: 'checkbox' }),
    ],
  })}
  ${form(viewer, { action: '/portal/desk', submit: 'Reject', fields: [], danger: true })}`;
}

export interface PortalUnderTest {
  readonly database: Database;
  readonly redis: RedisStore;
  readonly issuer: FakeIssuer;
  readonly roles: RoleDirectory;
  readonly port: number;
  readonly metrics: Metrics;
  /** Log lines as text. */
  readonly lines?: string[];
  /** OIDC_STEP_UP_ACR. */
  readonly stepUpAcr?: readonly string[];
  /** Says if there is live data; there is none by default. */
  readonly isLive?: () => boolean;
  /** As in live mode. */
  readonly refusesWeakIssuer?: boolean;
  readonly personRate?: Rate;
  /** OIDC_ISSUER and OIDC_CLIENT_SECRET, if they are not the issuer's own. */
  readonly oidc?: { readonly issuer?: string; readonly secret?: string | undefined };
  /** A keyring of its own by default. */
  readonly keyring?: Keyring;
  /** Pages instead of the desk's, and their dependencies. */
  readonly pages?: {
    readonly controllers: Type[];
    readonly providers: Provider[];
    readonly infrastructure: readonly Provider[];
    readonly modules: readonly (Type | DynamicModule)[];
  };
}

/** The real module with the desk's pages, on real Postgres and Redis, listening. */
export async function startPortal(under: PortalUnderTest): Promise<NestFastifyApplication> {
  const { port, metrics, lines } = under;
  const destination = { write: (text: string) => void lines?.push(text) };
  const app = await createHttpApp(portalOver(under), {
    trustedProxies: ['127.0.0.1'],
    logger: createLogger({ app: 'test', level: lines ? 'info' : 'silent', destination }),
    metrics,
  });
  await app.init();
  await app.listen(port, '127.0.0.1');
  return app;
}

const deskPages: NonNullable<PortalUnderTest['pages']> = {
  controllers: [DeskController],
  providers: [],
  infrastructure: [],
  modules: [],
};

function portalOver(under: PortalUnderTest) {
  const {
    database,
    redis,
    issuer,
    roles,
    port,
    metrics,
    pages = deskPages,
    stepUpAcr = [],
    isLive = () => false,
    refusesWeakIssuer = false,
    personRate,
    oidc = {},
    keyring = Keyring.from([{ id: 'k', bytes: randomBytes(32) }]),
  } = under;
  const secret = 'secret' in oidc ? oidc.secret : clientSecret;
  const who = { issuer: oidc.issuer ?? issuer.url, clientId, clientSecret: secret, stepUpAcr };
  const url = `http://localhost:${port}`;
  const options = new PortalOptions(url, who, 'Africa/Nairobi', { personRate, refusesWeakIssuer });
  const providers = [
    { provide: PortalOptions, useValue: options },
    { provide: Clock, useValue: new SystemClock(0) },
    { provide: Metrics, useValue: metrics },
    { provide: RedisStore, useValue: redis },
    { provide: Keyring, useValue: keyring },
    { provide: RoleDirectory, useValue: roles },
    { provide: PresenceRule, useValue: { isStrongOnly: () => Promise.resolve(isLive()) } },
    { provide: Database, useValue: database },
    ...pages.infrastructure,
  ];
  @Module({})
  class Infrastructure {}
  @Module({})
  class UnderTest {}
  const portal = PortalModule.with(options, pages);
  return {
    module: UnderTest,
    imports: [
      { module: Infrastructure, global: true, providers, exports: providers },
      ...pages.modules,
      portal,
    ],
  };
}
