import { Clock, isCalendarDay } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { beginOfDay, dayAt } from '#infra/runtime';
import { countFailedDeliveries, listFailedDeliveries } from '#records/webhooks';
import { rawQuery } from '#shared/http';
import { listWebhookItems } from '#views/webhook-outbox';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { viewerOf } from '../../access/viewer.js';
import { sendPage } from '../../page/page.js';
import { timeText } from '../../page/parts.js';
import { notFound, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { clockOf } from '../../page/clock-of.js';
import {
  type FailedModel,
  failedPage,
  maxCounted,
  maxResent,
  type Resent,
  resentPage,
} from './failed-page.js';
import { Resender } from './resender.js';

/** Resends the failed webhooks since a time, after saying how many they are (POR-92). */
@Controller('portal/merchants/:merchantId/:mode/webhooks/failed')
@Permits('webhooks.resend')
export class FailedWebhooksController {
  constructor(
    private readonly places: Places,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly resender: Resender,
  ) {}

  @Get()
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const parameters = new URLSearchParams(rawQuery(request));
    const until = new Date(this.clock.nowMs());
    const isAsked = parameters.has('day');
    const typed = {
      day: (parameters.get('day') ?? dayAt(until.getTime(), place.timezone)).slice(0, 10),
      clock: (parameters.get('clock') ?? '00:00').slice(0, 5),
    };
    const since = instantAt(typed, place.timezone);
    // The first page counts since the day began, which may be this very moment.
    const isFit = since !== undefined && (since < until || !isAsked);
    const found = isFit
      ? { since, until, count: await this.count({ ...place, since, until }) }
      : undefined;
    const isFault = !isFit;
    const error = isFault ? texts.developer.failed.wrongTime : undefined;
    const clock = clockOf(place, viewer, until.getTime());
    const model: FailedModel = { place, clock, typed, error, ...(found && { found }) };
    sendPage(request, reply, {
      title: texts.developer.failed.title,
      place: 'webhooks',
      content: failedPage(model, { viewer, texts }),
      ...(isFault && { status: 422, isFault }),
    });
  }

  /** Resends at most `maxResent`, the oldest first. Those that failed after the question are not among them. */
  @Post('resend')
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const posted = postedForm(request);
    const [since, until] = [sentInstant(posted.get('since')), sentInstant(posted.get('until'))];
    if (!since || !until) throw notFound();
    const wanted = { ...place, since, until };
    const resent: Resent[] = [];
    for (const delivery of await listFailedDeliveries(this.database, wanted, maxResent))
      resent.push({
        delivery,
        problem: await this.resender.send(request, delivery, delivery.kind),
      });
    const clock = clockOf(place, viewer, this.clock.nowMs());
    const sequences = resent.map(({ delivery }) => delivery.sequence);
    const items = await listWebhookItems(this.database, place, sequences);
    const left = await this.count(wanted);
    const unsent = resent.filter(({ problem }) => problem !== undefined).length;
    sendPage(request, reply, {
      title: texts.developer.failed.title,
      place: 'webhooks',
      content: resentPage({ place, clock, resent, items, more: left - unsent }, texts),
    });
  }

  private count(wanted: Parameters<typeof countFailedDeliveries>[1]): Promise<number> {
    return countFailedDeliveries(this.database, wanted, maxCounted);
  }
}

const minuteMs = 60_000;

/** The instant at which a zone's clocks show this day and time; undefined if the text is none. */
function instantAt({ day, clock }: FailedModel['typed'], timezone: string): Date | undefined {
  const [, hours, minutes] =
    /^([01]\d|2[0-3]):([0-5]\d)$/.exec(clock === '' ? '00:00' : clock) ?? [];
  if (hours === undefined || minutes === undefined || !isCalendarDay(day)) return undefined;
  const begin = Date.parse(beginOfDay(day, timezone));
  if (Number.isNaN(begin)) return undefined;
  const guess = new Date(begin + (Number(hours) * 60 + Number(minutes)) * minuteMs);
  // On a day on which clocks change, the guess is an hour off.
  const shown = timeText(guess, timezone).slice('2026-11-22 '.length, '2026-11-22 17:50'.length);
  const [shownHours = 0, shownMinutes = 0] = shown.split(':').map(Number);
  const off = (Number(hours) - shownHours) * 60 + Number(minutes) - shownMinutes;
  return new Date(guess.getTime() + off * minuteMs);
}

/** An instant as our own form sends it. */
function sentInstant(text: string | null): Date | undefined {
  return text !== null &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) &&
    !Number.isNaN(Date.parse(text))
    ? new Date(text)
    : undefined;
}
