import { isCalendarDay } from '#domain/kernel';
import { firstChannel } from '#domain/merchants';
import { permits } from '#domain/people';
import { httpErrors, Problem, rawQuery, streamedBody, StreamsBody } from '#shared/http';
import { readForEver } from '#desk/operators';
import { readDaySums } from '#views/statements';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { assertForm, formTokenField } from '../../access/form-token.js';
import { postedForm } from '../../access/posted-form.js';
import { refusals } from '../../access/refusals.js';
import { viewerOf } from '../../access/viewer.js';
import { ifAvailable } from '../../page/if-available.js';
import { doneOf, seeOtherPage, sendPage } from '../../page/page.js';
import { clockOf } from '../../page/clock-of.js';
import { emptyState } from '../../page/parts.js';
import { shortDay } from '../../page/list-parts.js';
import { dayActions } from './day-actions.js';
import { type Account, accountOf, notFound, type Place, Places } from '../place.js';
import { type AccountDay } from '#records/people';
import { LedgerDays } from '../statement/statement.controller.js';
import { merchantTexts } from '../texts-of.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { DayClosing, DayRecords } from './day-records.js';
import { dayPage, type DayProblem, exceptionFields, maxShown } from './day-page.js';
import { dayAddress, daysPage } from './days-page.js';
import { listedDays } from './listed-days.js';
import { maxUploadBytes, readUpload } from './upload.js';

@Controller('portal/merchants/:merchantId/:mode/days')
export class DaysController {
  constructor(
    private readonly places: Places,
    private readonly days: LedgerDays,
    private readonly records: DayRecords,
    private readonly closing: DayClosing,
  ) {}

  @Get()
  @Permits('day.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const asked = new URLSearchParams(rawQuery(request));
    if (place.accounts.length === 0) {
      const { text, todo } = texts.common.noAccounts;
      const content = emptyState(text, todo);
      sendPage(request, reply, { title: texts.sections.days, place: 'days', content });
      return;
    }
    const account = accountOf(place, asked.get('account') ?? undefined);
    const today = this.days.today(place.timezone);
    const to = asked.get('to') ?? today;
    const last = isCalendarDay(to) && to < today ? to : today;
    const listed = listedDays(last, await this.days.openedOn(account.accountNo, place.timezone));
    const from = listed.days.at(-1) ?? last;
    const reconciled = await this.records.of(account, { from, to: last });
    const names = await this.places.people.called(
      place.merchantId,
      [...reconciled.values()].map(({ operator }) => operator),
    );
    const figures = await ifAvailable(this.records.figures(place, account, { from, to: last }));
    const differences = (await ifAvailable(this.records.differences(reconciled))) ?? new Map();
    const rails = await this.records.rails(place, account);
    const mayClose = permits(viewer.roles, 'day.close', place.merchantId);
    const clock = clockOf(place, viewer, this.days.nowMs());
    const known = { reconciled, figures, differences, names };
    const model = { place, account, rails, ...listed, clock, ...known, mayClose };
    sendPage(request, reply, {
      title: texts.sections.days,
      place: 'days',
      content: daysPage(model, { viewer, texts }),
    });
  }

  @Get(':date')
  @Permits('day.see')
  async day(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const asked = new URLSearchParams(rawQuery(request));
    const account = accountOf(place, asked.get('account') ?? undefined);
    const channel = await this.railOf(place, account, asked.get('rail') ?? undefined);
    await this.show(request, reply, { place, account, channel, problem: undefined });
  }

  /** Reads the form, which may be large, only when its sender is known and may close a day. */
  @Post(':date/statement')
  @Permits('day.close')
  @StreamsBody(maxUploadBytes)
  async close(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const { days: words } = merchantTexts(viewer);
    const place = await this.places.of(request);
    const day = dayOf(request);
    const body = streamedBody(request);
    if (!body) throw new Problem(httpErrors.invalid_request);
    const upload = await readUpload(body, viewer.person);
    try {
      await assertForm(request, upload.fields.get(formTokenField));
      const account = accountOf(place, upload.fields.get('account'));
      const channel = await this.railOf(place, account, upload.fields.get('rail'));
      const { hasBegun } = await this.days.bounds(day, place.timezone);
      const problem = !hasBegun
        ? words.notBegun
        : upload.fileName === undefined
          ? words.noFile
          : await this.closing.close(
              { account, day, channel, upload },
              { viewer, requestId: request.id },
            );
      if (problem === undefined)
        seeOtherPage(reply, `${dayAddress(place, account, day, channel)}&done=closed`);
      else {
        const refused = { field: 'statement', text: problem } as const;
        await this.show(request, reply, { place, account, channel, problem: refused });
      }
    } finally {
      await upload.close();
    }
  }

  /** Notes of several open lines at once that they were dealt with, and how. The day's result stays as it is. */
  @Post(':date/exceptions')
  @Permits('day.close')
  async handle(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const { days: words } = merchantTexts(viewer);
    const place = await this.places.of(request);
    const day = dayOf(request);
    const form = postedForm(request);
    const account = accountOf(place, form.get('account') ?? '');
    const channel = await this.railOf(place, account, form.get('rail') ?? undefined);
    const bounds = await this.days.bounds(day, place.timezone);
    const recorded = await this.records.newest(account, { day, channel }, bounds);
    if (!recorded) throw notFound();
    // The form names a line by its place in the shown list, which another comparison may have replaced.
    if (form.get(exceptionFields.seen) !== recorded.at) throw new Problem(refusals.changed);
    const lines = form.getAll(exceptionFields.line).map((index) => {
      const open = /^\d{1,3}$/.test(index) ? recorded.data.openNamed[Number(index)] : undefined;
      const { finding, receipt, stream } = open ?? notNamed();
      return {
        finding,
        ...(receipt === undefined ? {} : { receipt }),
        ...(stream === undefined ? {} : { stream }),
      };
    });
    const note = readForEver(form.get(exceptionFields.note) ?? '');
    if (lines.length === 0 || lines.length > maxShown || !note.ok) {
      const text = note.ok ? words.noneChosen : words.noteWrong;
      const problem = { field: exceptionFields.note, text } as const;
      await this.show(request, reply, { place, account, channel, problem });
      return;
    }
    const { merchantId, mode } = place;
    const { accountNo } = account;
    await this.closing.note(
      { merchantId, mode, accountNo, date: day, lines, note: note.value },
      { viewer, requestId: request.id },
    );
    seeOtherPage(reply, `${dayAddress(place, account, day, channel)}&done=handled`);
  }

  private async show(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      place,
      account,
      channel,
      problem,
    }: {
      readonly place: Place;
      readonly account: Account;
      readonly channel: string;
      readonly problem: DayProblem | undefined;
    },
  ): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const day = dayOf(request);
    const { hasBegun, isOver, ...bounds } = await this.days.bounds(day, place.timezone);
    if (!hasBegun && problem === undefined) throw notFound();
    const figures = hasBegun ? await ifAvailable(this.figures(place, account, day)) : undefined;
    const recorded = await this.records.newest(account, { day, channel }, bounds);
    const handled = await this.records.handled(accountDay(place, account, day));
    const rails = await this.records.rails(place, account);
    const names = await this.places.people.called(place.merchantId, [
      ...(recorded ? [recorded.by] : []),
      ...[...handled.values()].flat().map(({ person }) => person),
    ]);
    const mayClose = permits(viewer.roles, 'day.close', place.merchantId);
    const mayExport = permits(viewer.roles, 'transactions.export', place.merchantId);
    const clock = clockOf(place, viewer, this.days.nowMs());
    const openedOn = await this.days.openedOn(account.accountNo, place.timezone);
    sendPage(request, reply, {
      title: texts.days.title(shortDay(day, { ...clock, today: '' })),
      place: 'days',
      actions: dayActions({ place, account, channel, day, clock, openedOn }, texts),
      content: dayPage(
        {
          place,
          account,
          channel,
          rails,
          day,
          clock,
          isOver,
          figures,
          recorded,
          handled,
          names,
          problem,
          mayClose,
          mayExport,
        },
        { viewer, texts },
      ),
      done: doneWord(request, texts.days),
      ...(problem !== undefined && { status: 422, isFault: true }),
    });
  }

  /**
   * One of the rails that the account uses or once used; the first if none is named.
   * @throws Problem not_found if it never had such a rail
   */
  private async railOf(place: Place, account: Account, channel = firstChannel): Promise<string> {
    if (account.channels.includes(channel)) return channel;
    const rails = await this.records.rails(place, account);
    if (!rails.some((rail) => rail.channel === channel)) throw notFound();
    return channel;
  }

  private async figures({ merchantId, mode, timezone }: Place, account: Account, day: string) {
    const owner = { merchantId, mode, ...account, timezone };
    const statement = await this.days.read(owner, { from: day, to: day });
    return { statement, sums: await readDaySums(this.days.database, owner, statement) };
  }
}

function accountDay({ merchantId, mode }: Place, { accountNo }: Account, day: string): AccountDay {
  return { merchantId, mode, accountNo, day };
}

/** Refuses a line that no page has shown. */
function notNamed(): never {
  throw notFound();
}

/** The message about the form that led here. */
function doneWord(request: FastifyRequest, words: MerchantTexts['days']): string | undefined {
  const told: Readonly<Record<string, string>> = {
    closed: words.closed,
    handled: words.markedHandled,
  };
  return told[doneOf(request) ?? ''];
}

/** @throws Problem not_found */
function dayOf(request: FastifyRequest): string {
  const { date } = request.params as Partial<Record<string, string>>;
  if (!isCalendarDay(date)) throw notFound();
  return date;
}
