import { type Case, caseMoney, type Item, readForEver } from '#desk/operators';
import { type StoredReviewProposal } from '#records/reviews';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { rememberMerchantName, type Viewer, viewerOf } from '../access/viewer.js';
import { FaultPage } from '../page/fault-page.js';
import { doneOf, seeOtherPage, sendPage } from '../page/page.js';
import { type Description } from '#records/people';
import { declineField } from './access-cards.js';
import { actingAs, actingFor } from './acting.js';
import { correctLink } from './correct-link.js';
import {
  type FormErrors,
  readOpening,
  readOwnReason,
  readRuling,
  seenOf,
} from './decision-form.js';
import {
  filled,
  itemPayment,
  decisionFacts,
  itemRows,
  meaningOf,
  namedMinorIn,
  proposalRows,
  proposedMoney,
  takesTwo,
  typedPaymentRows,
} from './fact-rows.js';
import { moneyRows } from './money-rows.js';
import { itemPage } from './item-page.js';
import { ItemLoader } from './item-loader.js';
import { isViewer, itemHref, type PageContext } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { type Decided, isDecision, ReviewDecisions } from './review-decisions.js';
import { operatorTextsOf } from './texts-of.js';

interface Params {
  readonly mode: string;
  readonly merchantId: string;
  readonly type: string;
  readonly reference: string;
}

/** The page of a collection or payout, and operators' decisions about it. */
@Controller('portal/items/:mode/:merchantId/:type/:reference')
export class ItemController {
  constructor(
    private readonly items: ItemLoader,
    private readonly decisions: ReviewDecisions,
    private readonly contexts: PageContexts,
    private readonly refusals: Refusals,
  ) {}

  @Get()
  @Permits('items.find')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.send(request, reply, await this.loaded(request));
  }

  /** Proposes the ruling if two operators must agree, or else decides at once. */
  @Post('resolve')
  @Permits('reviews.decide', (sent, controller: ItemController) => controller.describeRuling(sent))
  async resolve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { viewer, values, texts, found } = await this.posted(request);
    const decision = values.get('decision') ?? '';
    if (!isDecision(decision)) this.refusals.refuse('not_found');
    if (values.get('seen') !== seenOf(found)) this.refusals.refuse('changed');
    const typed = readRuling(decision, values, texts);
    if (!typed.ok) return this.again(request, reply, typed.refusal);
    const { ruling, reason } = typed.value;
    const metadata = actingAs(request, viewer, reason);
    return this.answer(request, reply, await this.decisions.resolve(found, ruling, metadata));
  }

  /** Lets a second operator agree to exactly what they saw. */
  @Post('confirm')
  @Permits('reviews.decide', (sent, controller: ItemController) =>
    controller.describeConfirmation(sent),
  )
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { viewer, values, texts, found } = await this.posted(request);
    const reason = readOwnReason(values, texts);
    if (!reason.ok) return this.again(request, reply, { fields: [reason.refusal], values });
    const metadata = actingFor(request, viewer, reason.value);
    const { id } = this.proposalIn(values, found);
    return this.answer(request, reply, await this.decisions.confirm(found, id, metadata));
  }

  /** Rejects the proposal with a reason, or withdraws the viewer's own (REV-11). */
  @Post('decline')
  @Permits('reviews.decide', (sent, controller: ItemController) => controller.describeDecline(sent))
  async decline(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { viewer, values, found } = await this.posted(request);
    const { id, reason } = await this.declineIn(values, found, viewer);
    const metadata = actingFor(request, viewer, reason);
    return this.answer(request, reply, await this.decisions.decline(found, id, metadata));
  }

  /** Opens the review by a line of the rail's statement, and proposes that it was paid. */
  @Post('open-review')
  @Permits('reviews.open', (sent, controller: ItemController) => controller.describeOpening(sent))
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { viewer, values, texts, found } = await this.posted(request);
    if (values.get('seen') !== seenOf(found)) this.refusals.refuse('changed');
    const typed = readOpening(values, texts);
    if (!typed.ok) return this.again(request, reply, typed.refusal);
    const { payment, reason } = typed.value;
    const metadata = actingAs(request, viewer, reason);
    return this.answer(request, reply, await this.decisions.open(found, payment, metadata));
  }

  /**
   * Describes the item in its present state, and the ruling as it was typed.
   * @throws Problem not_found, changed; DependencyUnavailable
   */
  async describeRuling({ request, form, viewer }: SentForm): Promise<Description> {
    const found = await this.loaded(request);
    const context = await this.contexts.naming(viewer, { merchants: [found.key.merchantId] });
    const { texts } = context;
    const decision = form.get('decision') ?? '';
    if (!isDecision(decision)) this.refusals.refuse('not_found');
    if (form.get('seen') !== seenOf(found)) this.refusals.refuse('changed');
    const rows = [
      [texts.waiting.change, meaningOf(found, decision, context)] as const,
      ...typedPaymentRows(form, { prefix: decision, reason: 'reason', found, context }),
    ];
    const namedMinor = namedMinorIn(form, decision);
    const payment = itemPayment(found, context, namedMinor);
    const money = caseMoney(found, { decision, namedMinor });
    const verb = takesTwo(found, decision) ? 'propose' : 'decide';
    const title = texts.item.decide;
    return { title, verb, payment, ...decisionFacts(rows, found, { ...context, money }) };
  }

  /**
   * Describes the item in its present state, and the payment as it was typed.
   * @throws Problem not_found, changed; DependencyUnavailable
   */
  async describeOpening({ request, form, viewer }: SentForm): Promise<Description> {
    const found = await this.loaded(request);
    const context = await this.contexts.naming(viewer, { merchants: [found.key.merchantId] });
    if (form.get('seen') !== seenOf(found)) this.refusals.refuse('changed');
    const { openButton: title } = context.texts.item;
    const typed = typedPaymentRows(form, { prefix: 'open', reason: 'open_reason', found, context });
    const money = caseMoney(found, { decision: 'paid', namedMinor: namedMinorIn(form, 'open') });
    const posted = moneyRows(money, found.item.currency, context.texts);
    const rows = filled([...itemRows(found, context), ...typed, ...posted]);
    return { title, verb: 'propose', rows };
  }

  /**
   * Describes the item in its present state, and the proposal as it is stored.
   * @throws Problem not_found, changed; DependencyUnavailable
   */
  async describeConfirmation({ request, form, viewer }: SentForm): Promise<Description> {
    const found = await this.loaded(request);
    const proposal = this.proposalIn(form, found);
    const context = await this.namingBoth(viewer, found, proposal);
    const { texts } = context;
    const own = (form.get('own_reason') ?? '').trim();
    const rows = [
      ...proposalRows(found, proposal, context),
      [texts.item.confirmReason, own] as const,
    ];
    const payment = itemPayment(found, context, proposal.amountMinor);
    const title = texts.item.confirm;
    const money = proposedMoney(found, proposal);
    return {
      title,
      verb: 'confirm',
      payment,
      ...decisionFacts(rows, found, { ...context, money }),
    };
  }

  /**
   * Describes the proposal as it is stored, and the reason against it.
   * @throws Problem not_found, changed; FaultPage if another's proposal is rejected without a fit reason;
   *   DependencyUnavailable
   */
  async describeDecline({ request, form, viewer }: SentForm): Promise<Description> {
    const found = await this.loaded(request);
    const proposal = this.proposalIn(form, found);
    const { reason } = await this.declineIn(form, found, viewer);
    const context = await this.namingBoth(viewer, found, proposal);
    const { texts } = context;
    const rows = [
      [texts.item.rejectReason, reason] as const,
      ...proposalRows(found, proposal, context),
    ];
    const payment = itemPayment(found, context, proposal.amountMinor);
    const isOwn = isViewer(proposal.proposedBy, viewer);
    const title = isOwn ? texts.item.withdrawTitle : texts.item.rejectTitle;
    const verb = isOwn ? 'withdraw' : 'reject';
    const money = proposedMoney(found, proposal);
    return { title, verb, payment, ...decisionFacts(rows, found, { ...context, money }) };
  }

  private namingBoth(
    viewer: Viewer,
    { key }: Case,
    { proposedBy }: Pick<StoredReviewProposal, 'proposedBy'>,
  ): Promise<PageContext> {
    return this.contexts.naming(viewer, { people: [proposedBy], merchants: [key.merchantId] });
  }

  /** The proposal that the form ends, and the reason, which the proposer need not give. */
  private async declineIn(values: URLSearchParams, found: Case, viewer: Viewer) {
    const { id, proposedBy } = this.proposalIn(values, found);
    if (isViewer(proposedBy, viewer)) return { id, reason: undefined };
    const { texts } = this.contexts.of(viewer);
    const reason = readForEver(values.get(declineField) ?? '');
    if (reason.ok) return { id, reason: reason.value };
    const text = values.get(declineField)?.trim() ? texts.typed[reason.refusal] : texts.missing;
    const refused = { fields: [{ field: `decline-${id}`, text }], values };
    throw new FaultPage(await this.pageOf(found, viewer, refused));
  }

  /**
   * The proposal that the form names, if it is still pending.
   * @throws Problem changed
   */
  private proposalIn(values: URLSearchParams, { proposals }: Case): StoredReviewProposal {
    const id = values.get('proposal');
    const open = proposals.find((proposal) => proposal.endedAt === null && proposal.id === id);
    return open ?? this.refusals.refuse('changed');
  }

  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    decided: Decided,
  ): Promise<void> {
    if (typeof decided === 'string') {
      seeOtherPage(reply, `${itemHref(itemIn(request))}?done=${decided}`);
      return;
    }
    const { refusals } = operatorTextsOf(viewerOf(request));
    const values = postedForm(request);
    await this.again(request, reply, { summary: refusals[decided.refusal], fields: [], values });
  }

  /** Shows the page again with the form's errors. */
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
    const page = await this.pageOf(found, viewerOf(request), refused);
    const done: Readonly<Record<string, string>> = operatorTextsOf(viewerOf(request)).done;
    if (page.merchant !== undefined) rememberMerchantName(request, page.merchant);
    sendPage(request, reply, {
      ...page,
      done: refused ? undefined : done[doneOf(request) ?? ''],
      status: refused ? 422 : 200,
    });
  }

  private async pageOf(found: Case, viewer: Viewer, refused?: FormErrors) {
    const context = await this.contexts.naming(viewer, {
      people: [
        ...found.proposals.flatMap(({ proposedBy, endedBy }) => [proposedBy, endedBy ?? undefined]),
        ...found.events.map(({ metadata }) => metadata.actor.id),
      ],
      merchants: [found.key.merchantId],
    });
    return {
      title: `${context.texts.item.titles[found.type]} ${found.key.reference}`,
      content: itemPage({ ...(await this.items.page(found)), refused }, context),
      actions: correctLink(found, context),
      isDemo: found.key.mode === 'demo',
      place: 'reviews',
      merchant: context.merchants?.get(found.key.merchantId),
    };
  }
}

/** The item as the address names it. Its stream shows if there is such an item. */
function itemIn(request: FastifyRequest): Item {
  const { mode, merchantId, type, reference } = request.params as Params;
  return { type, key: { mode, merchantId, reference } } as Item;
}
