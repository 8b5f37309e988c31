import { Clock } from '#domain/kernel';
import { permits } from '#domain/people';
import {
  countFailingDeliveries,
  type Delivery,
  listFailureContacts,
  listWebhookDeliveries,
  listWebhookDeliveriesOf,
  listWebhookHealth,
  listWebhookHours,
  readWebhookDeliveries,
} from '#records/webhooks';
import { webhookKinds } from '#domain/merchants';
import { Database } from '#infra/postgres';
import { rawQuery } from '#shared/http';
import { findWebhookEvent, listWebhookEndpoints, listWebhookItems } from '#views/webhook-outbox';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { viewerOf } from '../../access/viewer.js';
import { doneOf, seeOtherPage, sendPage } from '../../page/page.js';
import { notFound, type Place, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { clockOf } from '../../page/clock-of.js';
import { deliveryPage, type ResendProblem } from './delivery-page.js';
import { lastHours } from './endpoint-day.js';
import { Resender } from './resender.js';
import {
  deliveryField,
  deliveryName,
  maxFailedCounted,
  readDeliveriesQuery,
  searchOf,
  webhooksActions,
  type WebhooksModel,
  webhooksPage,
} from './webhooks-page.js';

/** Events on a page. */
const pageSize = 50;
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

@Controller('portal/merchants/:merchantId/:mode/webhooks')
export class WebhooksController {
  constructor(
    private readonly places: Places,
    private readonly database: Database,
    private readonly resender: Resender,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Permits('webhooks.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const { merchantId, mode } = place;
    const query = readDeliveriesQuery(new URLSearchParams(rawQuery(request)));
    const all = await listWebhookEndpoints(this.database, merchantId);
    const endpoints = all.filter((endpoint) => endpoint.mode === mode);
    const health = await listWebhookHealth(this.database, merchantId);
    const found = await listWebhookDeliveries(this.database, {
      merchantId,
      mode,
      ...query,
      limit: pageSize + 1,
    });
    const mayChange = permits(viewer.roles, 'webhooks.change', merchantId);
    const contacts = mayChange
      ? await listFailureContacts(this.database, place)
      : new Map<string, string>();
    const nowMs = this.clock.nowMs();
    const hours = lastHours(nowMs);
    const attempted = await listWebhookHours(this.database, place, hours[0] ?? new Date(nowMs));
    const model: WebhooksModel = {
      place,
      clock: clockOf(place, viewer, nowMs),
      endpoints,
      health,
      contacts,
      hours,
      attempted,
      query,
      ...(await this.withItems(place, pageOf(found))),
      failed: await countFailingDeliveries(this.database, place, maxFailedCounted + 1),
      mayResend: permits(viewer.roles, 'webhooks.resend', merchantId),
      mayChange,
    };
    sendPage(request, reply, {
      title: texts.sections.webhooks,
      place: 'webhooks',
      actions: webhooksActions(model, texts),
      content: webhooksPage(model, { viewer, texts }),
      done: doneWord(request, texts),
    });
  }

  private async withItems(place: Place, page: DeliveriesPage) {
    const sequences = page.deliveries.map(({ sequence }) => sequence);
    return { ...page, items: await listWebhookItems(this.database, place, sequences) };
  }

  /** Sends the shown deliveries again. If one of them is not the place's own, it sends none. */
  @Post('resend')
  @Permits('webhooks.resend')
  async resendShown(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const posted = postedForm(request);
    const named = new Set(posted.getAll(deliveryField));
    const ids = [...named].map((name) => name.slice(0, name.indexOf(' ')));
    if (named.size === 0 || named.size > pageSize || !ids.every((id) => idPattern.test(id)))
      throw notFound();
    const own = await listWebhookDeliveriesOf(this.database, place, [...new Set(ids)]);
    const chosen = own.filter((delivery) => named.has(deliveryName(delivery)));
    if (chosen.length < named.size) throw notFound();
    let sent = 0;
    for (const delivery of chosen)
      if ((await this.resender.send(request, delivery, delivery.kind)) === undefined) sent += 1;
    const search = searchOf(readDeliveriesQuery(new URLSearchParams(posted.get('query') ?? '')));
    const done = sent === chosen.length ? 'resent' : sent === 0 ? 'none' : 'some';
    seeOtherPage(reply, `${place.base}/webhooks?${search}${search === '' ? '' : '&'}done=${done}`);
  }

  @Get(':id')
  @Permits('webhooks.see')
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.showOne(request, reply);
  }

  @Post(':id/resend')
  @Permits('webhooks.resend')
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const kind = webhookKinds.find((one) => one === postedForm(request).get('kind'));
    if (!kind) throw notFound();
    const { deliveries } = await this.found(request, place);
    const problem = await this.resender.send(request, deliveries[0], kind);
    if (problem !== undefined) await this.showOne(request, reply, problem);
    else seeOtherPage(reply, `${place.base}/webhooks/${deliveries[0].webhookId}?done=resent`);
  }

  private async showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    problem?: ResendProblem,
  ): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const { deliveries, attempts } = await this.found(request, place);
    const [{ webhookId, type, sequence }] = deliveries;
    const item = (await listWebhookItems(this.database, place, [sequence])).get(sequence);
    const event = await findWebhookEvent(this.database, webhookId, deliveries[0]);
    const mayResend = permits(viewer.roles, 'webhooks.resend', place.merchantId);
    const clock = clockOf(place, viewer, this.clock.nowMs());
    sendPage(request, reply, {
      title: texts.webhooks.title(type),
      back: { href: `${place.base}/webhooks`, text: texts.sections.webhooks },
      place: 'webhooks',
      content: deliveryPage(
        { place, clock, deliveries, attempts, event, item, mayResend, problem },
        { viewer, texts },
      ),
      done: doneOf(request) === 'resent' ? texts.webhooks.resent : undefined,
      ...(problem !== undefined && { status: 409, isFault: true }),
    });
  }

  /**
   * Finds the place's own deliveries. The id of another merchant or of the other mode is answered like one that does
   * not exist.
   * @throws Problem not_found
   */
  private async found(request: FastifyRequest, { merchantId, mode }: Place) {
    const { id = '' } = request.params as Partial<Record<string, string>>;
    if (!idPattern.test(id)) throw notFound();
    const { deliveries, attempts } = await readWebhookDeliveries(this.database, id);
    const [first, ...others] = deliveries.filter(
      (of) => of.merchantId === merchantId && of.mode === mode,
    );
    if (!first) throw notFound();
    return { deliveries: [first, ...others] as const, attempts };
  }
}

/** The message about the form that led here. */
function doneWord(
  request: FastifyRequest,
  { webhooks: words, developer }: MerchantTexts,
): string | undefined {
  const told: Readonly<Record<string, string>> = {
    ...developer.endpoint.done,
    resent: words.resent,
    some: words.resentSome,
    none: words.resentNone,
  };
  return told[doneOf(request) ?? ''];
}

interface DeliveriesPage {
  readonly deliveries: readonly Delivery[];
  /** The start of the next page. */
  readonly next: bigint | undefined;
}

/**
 * The page, and the start of the next. Both kinds of one event are on one page, so the next page begins after its
 * number.
 */
function pageOf(found: readonly Delivery[]): DeliveriesPage {
  const over = found[pageSize];
  if (!over) return { deliveries: found, next: undefined };
  const shown = found.slice(0, pageSize).filter(({ sequence }) => sequence !== over.sequence);
  return { deliveries: shown, next: shown.at(-1)?.sequence };
}
