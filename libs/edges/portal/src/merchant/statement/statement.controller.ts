import { Readable } from 'node:stream';
import { EventStore } from '#domain/event-sourcing';
import { Clock, DependencyUnavailable, isCalendarDay } from '#domain/kernel';
import { ReadDatabase } from '#infra/postgres';
import { dayAt } from '#infra/runtime';
import { rawQuery } from '#shared/http';
import { type Heading, writeCamt053, writeCsv, writePdf } from '#shared/statements';
import { boundsOfDay, positionBefore } from '#views/balances';
import { accountOpenedAt } from '#views/merchants';
import { readStatementOfDays, type StatementAccount, statementEntries } from '#views/statements';
import { ViewProgress } from '#views/view-set';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { viewerOf } from '../../access/viewer.js';
import { sendPage } from '../../page/page.js';
import { accountOf, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import {
  type StatementFormat,
  statementFormats,
  type StatementModel,
  statementPage,
} from './statement-page.js';

/** The service's name, as in its webhooks' header. */
const service = 'PesaPost';
/** Time that a page waits for views that are behind. */
const maxWaitMs = 2000;

/** Turns days of a merchant's zone into positions of the log, for statements and the day's close. */
@Injectable()
export class LedgerDays {
  private readonly views: ViewProgress;

  constructor(
    readonly database: ReadDatabase,
    readonly store: EventStore,
    private readonly clock: Clock,
  ) {
    this.views = new ViewProgress(database);
  }

  nowMs(): number {
    return this.clock.nowMs();
  }

  /** The day now, as YYYY-MM-DD. */
  today(timezone: string): string {
    return dayAt(this.clock.nowMs(), timezone);
  }

  /** The day on which an account was opened, or undefined if it is not known. */
  async openedOn(accountNo: string, timezone: string): Promise<string | undefined> {
    const openedAt = await accountOpenedAt(this.database, accountNo);
    return openedAt && dayAt(openedAt.getTime(), timezone);
  }

  /** The begin and end of a day, and whether each has passed. */
  async bounds(day: string, timezone: string) {
    const { begins, ends, now } = await boundsOfDay(this.database, day, timezone);
    return { begins, ends, now, hasBegun: begins <= now, isOver: ends <= now };
  }

  /**
   * The position of the log at a day's end, or at this moment if the day is not over.
   * @throws DependencyUnavailable
   */
  async endOf(day: string, timezone: string) {
    const { ends, isOver } = await this.bounds(day, timezone);
    const position = await positionBefore(this, ends);
    if (!(await this.views.reach(position, maxWaitMs)))
      throw new DependencyUnavailable('read model', 'it has not reached the position asked for');
    return { position, isOver };
  }

  /**
   * The statement of an account over days, the same as the command line's.
   * @throws DependencyUnavailable
   */
  async read(account: StatementAccount, days: { readonly from: string; readonly to: string }) {
    const end = await this.endOf(days.to, account.timezone);
    return readStatementOfDays(this, account, days, end);
  }
}

const types = {
  csv: { type: 'text/csv; charset=utf-8', ending: 'csv' },
  'camt.053': { type: 'application/xml; charset=utf-8', ending: 'xml' },
  pdf: { type: 'application/pdf', ending: 'pdf' },
} as const satisfies Record<StatementFormat, { readonly type: string; readonly ending: string }>;

@Controller('portal/merchants/:merchantId/:mode/statement')
@Permits('transactions.export')
export class StatementController {
  constructor(
    private readonly places: Places,
    private readonly days: LedgerDays,
  ) {}

  @Get()
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const asked = typedIn(request);
    const today = this.days.today(place.timezone);
    const isAsked = isCalendarDay(asked.from) && isCalendarDay(asked.to);
    const typed = isAsked ? asked : { ...asked, from: `${today.slice(0, 8)}01`, to: today };
    this.show(request, reply, { place, typed, problem: undefined });
  }

  /** Streams the file while it is made. Its name and its content give the position of the log up to which it goes. */
  @Get('file')
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const typed = typedIn(request);
    const { account: accountNo, from, to } = typed;
    const format = statementFormats.find((one) => one === typed.format);
    const account = accountOf(place, accountNo);
    if (!isCalendarDay(from) || !isCalendarDay(to) || from > to || format === undefined) {
      this.show(request, reply, { place, typed, problem: 'wrongDays' });
      return;
    }
    if (!(await this.days.bounds(to, place.timezone)).hasBegun) {
      this.show(request, reply, { place, typed, problem: 'notBegun' });
      return;
    }
    const { merchantId, mode, timezone } = place;
    const owner = { merchantId, mode, ...account, timezone };
    const found = await this.days.read(owner, { from, to });
    const heading: Heading = { service, merchant: place.name, ...owner, ...found };
    const name = `statement-${account.accountNo}-${from}-${to}-position-${found.upTo}.${types[format].ending}`;
    void reply
      .header('Content-Disposition', `attachment; filename="${name}"`)
      .type(types[format].type)
      .send(textOf(format, heading, statementEntries(this.days.database, owner, found)));
  }

  private show(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Omit<StatementModel, 'today'>,
  ): void {
    const model = { ...asked, today: this.days.today(asked.place.timezone) };
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    sendPage(request, reply, {
      title: texts.sections.statement,
      place: 'statement',
      content: statementPage(model, { viewer, texts }),
      ...(model.problem !== undefined && { status: 422, isFault: true }),
    });
  }
}

function textOf(
  format: StatementFormat,
  heading: Heading,
  lines: ReturnType<typeof statementEntries>,
): Readable {
  switch (format) {
    case 'csv':
      return Readable.from(writeCsv(heading, lines));
    case 'camt.053':
      return Readable.from(writeCamt053(heading, lines));
    case 'pdf':
      return writePdf(heading, lines);
  }
}

function typedIn(request: FastifyRequest): StatementModel['typed'] {
  const parameters = new URLSearchParams(rawQuery(request));
  const of = (name: string): string => (parameters.get(name) ?? '').slice(0, 40);
  return { account: of('account'), from: of('from'), to: of('to'), format: of('format') };
}
