import { ConfirmReview, OpenReview, ResolveReview, type ReviewDecision } from '#domain/collections';
import { ConfirmPayoutReview, OpenPayoutReview, ResolvePayoutReview } from '#domain/payouts';
import { type Case, type Item, type StoredReviewProposal } from '#views/cases';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { Refusals } from '../access/refusals.js';
import { type Viewer, viewerOf } from '../access/viewer.js';
import { doneOf, seeOtherPage, sendPage } from '../page/page.js';
import { PortalOptions } from '../portal-options.js';
import { type Description } from '../session/ports.js';
import { actingAs, actingFor } from './acting.js';
import {
  aboutItem,
  aboutProposal,
  type FormErrors,
  readOpening,
  readOwnReason,
  readRuling,
  seenOf,
  seenProposal,
} from './decision-form.js';
import { itemPage } from './item-page.js';
import { Items } from './items.js';
import { decisionWord, itemHref, type Look } from './looks.js';
import { operatorTextsOf } from './texts-of.js';

interface Params {
  readonly mode: string;
  readonly merchantId: string;
  readonly type: string;
  readonly reference: string;
}

/** A refusal as the domain names it. */
type Refused = keyof ReturnType<typeof operatorTextsOf>['refusals'];

/** A collection or payout: what is known of it, and what operators decide. */
@Controller('portal/items/:mode/:merchantId/:type/:reference')
export class ItemController {
  constructor(
    private readonly items: Items,
    private readonly bus: CommandBus,
    private readonly options: PortalOptions,
    private readonly refusals: Refusals,
  ) {}

  @Get()
  @Permits('items.find')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send(request, reply, await this.loaded(request));
  }

  /** Proposes where two operators must agree; else decides at once. */
  @Post('resolve')
  @Permits('reviews.decide', describe)
  async resolve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { viewer, values, texts, found } = await this.posted(request);
    const decision = values.get('decision') ?? '';
    if (!isDecision(decision)) this.refusals.refuse('not_found');
    if (values.get('seen') !== seenOf(found) || values.get('about') !== aboutItem(found, texts))
      return this.again(request, reply, { summary: texts.changed, fields: [], values });
    const typed = readRuling(decision, values, texts);
    if (!typed.ok) return this.again(request, reply, typed.refusal);
    const { ruling, reason } = typed.value;
    const metadata = actingAs(request, viewer, reason);
    if (found.type === 'payout') {
      const result = await this.bus.execute(new ResolvePayoutReview(found.key, ruling, metadata));
      return this.answer(request, reply, result.ok ? 'proposed' : result);
    }
    const result = await this.bus.execute(new ResolveReview(found.key, ruling, metadata));
    return this.answer(request, reply, result.ok ? result.value.kind : result);
  }

  /** A second operator agrees to exactly what they saw. */
  @Post('confirm')
  @Permits('reviews.decide', describe)
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { viewer, values, texts, found } = await this.posted(request);
    const id = values.get('proposal') ?? '';
    const open = found.proposals.find(
      (proposal) => proposal.endedAt === null && proposal.id === id,
    );
    if (!open || !isAsSeen(found, open, { values, texts }))
      return this.again(request, reply, { summary: texts.changed, fields: [], values });
    const reason = readOwnReason(values, texts);
    if (!reason.ok) return this.again(request, reply, { fields: [reason.refusal], values });
    const metadata = actingFor(request, viewer, reason.value);
    const result =
      found.type === 'payout'
        ? await this.bus.execute(new ConfirmPayoutReview(found.key, id, metadata))
        : await this.bus.execute(new ConfirmReview(found.key, id, metadata));
    return this.answer(request, reply, result.ok ? 'confirmed' : result);
  }

  /** With a line of the rail's statement; proposes that it was paid. */
  @Post('open-review')
  @Permits('reviews.open', describe)
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { viewer, values, texts, found } = await this.posted(request);
    if (values.get('seen') !== seenOf(found))
      return this.again(request, reply, { summary: texts.changed, fields: [], values });
    const typed = readOpening(values, texts);
    if (!typed.ok) return this.again(request, reply, typed.refusal);
    const { payment, reason } = typed.value;
    const metadata = actingAs(request, viewer, reason);
    const result =
      found.type === 'payout'
        ? await this.bus.execute(new OpenPayoutReview(found.key, payment, metadata))
        : await this.bus.execute(new OpenReview(found.key, payment, metadata));
    return this.answer(request, reply, result.ok ? 'opened' : result);
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    came: string | { readonly refusal: Refused },
  ): Promise<void> {
    if (typeof came === 'string') {
      seeOtherPage(reply, `${itemHref(itemIn(request))}?done=${came}`);
      return;
    }
    const { refusals } = operatorTextsOf(viewerOf(request));
    const values = postedForm(request);
    await this.again(request, reply, { summary: refusals[came.refusal], fields: [], values });
  }

  /** The page anew, with what was wrong. */
  private async again(
    request: FastifyRequest,
    reply: FastifyReply,
    refused: FormErrors,
  ): Promise<void> {
    await this.send(request, reply, await this.loaded(request), refused);
  }

  private async posted(request: FastifyRequest) {
    const viewer = viewerOf(request);
    const found = await this.loaded(request);
    return { viewer, values: postedForm(request), texts: operatorTextsOf(viewer), found };
  }

  private async loaded(request: FastifyRequest): Promise<Case> {
    return (await this.items.load(itemIn(request))) ?? this.refusals.refuse('not_found');
  }

  private async send(
    request: FastifyRequest,
    reply: FastifyReply,
    found: Case,
    refused?: FormErrors,
  ): Promise<void> {
    const viewer = viewerOf(request);
    const texts = operatorTextsOf(viewer);
    const look: Look = { viewer, texts, zone: this.options.timezone };
    const content = itemPage({ ...(await this.items.told(found)), refused }, look);
    const done: Readonly<Record<string, string>> = texts.done;
    sendPage(request, reply, {
      title: `${texts.types[found.type]} ${found.key.reference}`,
      content,
      place: 'reviews',
      done: refused ? undefined : done[doneOf(request) ?? ''],
      status: refused ? 422 : 200,
    });
  }
}

/** As the address names it; whether there is such an item, its stream tells. */
function itemIn(request: FastifyRequest): Item {
  const { mode, merchantId, type, reference } = request.params as Params;
  return { type, key: { mode, merchantId, reference } } as Item;
}

const decisions: readonly string[] = ['paid', 'failed', 'suspense_to_merchant', 'refunded'];

function isDecision(text: string): text is ReviewDecision {
  return decisions.includes(text);
}

function isAsSeen(
  found: Case,
  open: StoredReviewProposal,
  { values, texts }: { readonly values: URLSearchParams; readonly texts: Look['texts'] },
): boolean {
  return (
    values.get('seen') === seenProposal(found, open) &&
    values.get('about') === aboutProposal(found, open, texts)
  );
}

/** What the form will do, for whoever confirms that it is them. */
function describe(form: URLSearchParams, viewer: Viewer): Description {
  const texts = operatorTextsOf(viewer);
  const decision = form.get('decision') ?? '';
  const said = (name: string): string => form.get(`${decision}_${name}`) ?? form.get(name) ?? '';
  const rows = [
    [texts.what, form.get('about') ?? ''],
    [texts.waiting.change, decisionWord(decision, texts)],
    [texts.receipt, said('receipt')],
    [texts.fields.amount, said('amount')],
    [texts.fields.paidAt, said('paid_at')],
    [texts.reason, form.has('proposal') ? said('own_reason') : said('reason')],
  ] as const;
  const title = form.has('proposal') ? texts.item.confirm : texts.item.decide;
  return { title, rows: rows.filter(([, value]) => value !== '') };
}
