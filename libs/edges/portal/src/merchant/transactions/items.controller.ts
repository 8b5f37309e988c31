import { onRail } from '#shared/glossary';
import { listWebhookDeliveriesOf } from '#records/webhooks';
import { PostingProofs } from '#domain/audit';
import { FindCollection, listedReferencePattern, referencePattern } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { Clock } from '#domain/kernel';
import { FindPayout, type PayoutKey } from '#domain/payouts';
import { permits } from '#domain/people';
import { Database } from '#infra/postgres';
import { html, type Html } from '#shared/html';
import { noteRequest } from '#shared/http';
import {
  type ItemEvent,
  type ItemReceipt,
  readReceipt,
  transactionFrom,
  type TransactionItem,
} from '#views/transactions';
import { isOutcome } from '#views/webhook-outbox';
import { Controller, Get, Injectable, Req, Res } from '@nestjs/common';
import { type Query, QueryBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { viewerOf } from '../../access/viewer.js';
import { icon } from '../../page/icons.js';
import { ifAvailable } from '../../page/if-available.js';
import { doneOf, sendPage } from '../../page/page.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { itemAddress, notFound, type Place, Places } from '../place.js';
import { clockOf } from '../../page/clock-of.js';
import { refundAction } from '../refunds/item-refunds.js';
import { merchantTexts } from '../texts-of.js';
import { itemHeading, itemPage } from './item-page.js';
import { correctByHandAction } from './correct-by-hand.js';
import { timelineOf } from './timeline.js';

type Events = readonly RecordedEvent<ItemEvent>[];

/** The way to find an item of each type. A payout's reference has no `~`: a stream with one belongs to no payout. */
const readers = new Map<
  string,
  {
    readonly pattern: RegExp;
    readonly query: (key: PayoutKey) => Query<{ readonly events: Events }>;
  }
>([
  ['collection', { pattern: listedReferencePattern, query: (key) => new FindCollection(key) }],
  ['payout', { pattern: referencePattern, query: (key) => new FindPayout(key) }],
]);

/** Reads a collection or payout from its own stream, and its receipt. */
@Injectable()
export class Items {
  constructor(
    private readonly queries: QueryBus,
    readonly proofs: PostingProofs,
    readonly database: Database,
  ) {}

  /**
   * Finds the place's own item: its stream is named by merchant, mode and reference.
   * @throws Problem not_found
   */
  async find(
    request: FastifyRequest,
    { merchantId, mode }: Place,
  ): Promise<{ readonly item: TransactionItem; readonly events: Events }> {
    const { type = '', reference = '' } = request.params as Partial<Record<string, string>>;
    const reader = readers.get(type);
    // A text that cannot be a reference names nothing, so the store is not asked for just any text in a path.
    if (!reader?.pattern.test(reference)) throw notFound();
    noteRequest(request, { reference });
    const { events } = await this.queries.execute(reader.query({ merchantId, mode, reference }));
    const item = transactionFrom(events);
    if (!item) throw notFound();
    return { item, events };
  }

  /** @throws DependencyUnavailable, ProofFails */
  receiptOf({ item, events }: Awaited<ReturnType<Items['find']>>): Promise<ItemReceipt> {
    return readReceipt(this, events, item);
  }
}

@Controller('portal/merchants/:merchantId/:mode/items/:type/:reference')
@Permits('transactions.see')
export class ItemsController {
  constructor(
    private readonly places: Places,
    private readonly items: Items,
    private readonly clock: Clock,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const place = await this.places.of(request);
    const found = await this.items.find(request, place);
    const { item, events } = found;
    const texts = onRail(merchantTexts(viewer), item.channel);
    const receipt = await ifAvailable(this.items.receiptOf(found));
    const outcomes = events.filter(isOutcome).map(({ id }) => id);
    const deliveries = permits(viewer.roles, 'webhooks.see', place.merchantId)
      ? await listWebhookDeliveriesOf(this.items.database, place, outcomes)
      : undefined;
    const steps = timelineOf(events);
    const who = steps.flatMap(({ step }) => ('by' in step ? (step.by ?? []) : []));
    const names = await this.places.people.called(place.merchantId, who);
    const clock = clockOf(place, viewer, this.clock.nowMs());
    const model = { place, clock, item, names, steps, receipt, deliveries };
    const done: Readonly<Record<string, string>> = texts.refunds.done;
    sendPage(request, reply, {
      title: texts.item.title(item.type, item.reference),
      place: 'transactions',
      heading: itemHeading(item, texts),
      back: { href: `${place.base}/transactions`, text: texts.sections.transactions },
      actions: html`${item.status === 'completed' ? receiptLink(place, item, texts) : undefined}
      ${refundAction(model, { viewer, texts })}
      ${correctByHandAction(place, item, { viewer, texts })}`,
      content: itemPage(model, texts),
      done: done[doneOf(request) ?? ''],
    });
  }
}

function receiptLink(place: Place, item: TransactionItem, { item: words }: MerchantTexts): Html {
  return html`<a class="button secondary" href="${itemAddress(place, item)}/receipt"
    >${icon('statements')} ${words.receipt.title}</a
  >`;
}
