import { Database } from '#infra/postgres';
import { missedMoney, type MissedMoney } from '#records/rails';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type ReviewDecision } from '#domain/reviews';
import { type Case, caseMoney, type Item, itemOf, readForEver } from '#desk/operators';
import { type StoredReviewProposal } from '#records/reviews';
import { Controller, Injectable, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { postedForm } from '../access/posted-form.js';
import { type SentForm } from '../access/presence.js';
import { Refusals } from '../access/refusals.js';
import { viewerOf } from '../access/viewer.js';
import { sendPage } from '../page/page.js';
import { moneyText } from '../page/parts.js';
import { type DescribedItems, type Description } from '#records/people';
import { permits } from '#domain/people';
import { askedMinor, refusalOf, sharedDecision, totalText } from './bulk-choice.js';
import { bulkChoicePage, referencesOf } from './bulk-choice-page.js';
import { actingAs, actingFor } from './acting.js';
import { readOwnReason } from './decision-form.js';
import { filled, itemRow, meaningOf, proposalRows, proposedMoney, takesTwo } from './fact-rows.js';
import { moneySentence } from './money-rows.js';
import { ItemLoader } from './item-loader.js';
import { decisionWord, type PageContext, railCurrency, whoText } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { type Decided, isDecision, ReviewDecisions } from './review-decisions.js';
import { type Outcome, outcomesPage } from './bulk-decisions-page.js';

/** Most items of a form: a person checks the list line by line. */
const maxTogether = 50;

/** A pending proposal and its item. */
interface Waiting {
  readonly found: Case;
  readonly proposal: StoredReviewProposal;
}

/** Reads the items that a form about several names, from the server's own data. Each throws DependencyUnavailable. */
@Injectable()
export class Selection {
  constructor(
    private readonly items: ItemLoader,
    private readonly database: Database,
    private readonly refusals: Refusals,
  ) {}

  /** @throws Problem selection, changed */
  async ofItems(form: URLSearchParams): Promise<readonly Case[]> {
    const found: Case[] = [];
    for (const stream of this.named(form, 'item')) found.push(await this.load(stream));
    return found;
  }

  /**
   * Pending proposals, each named by its stream and its id.
   * @throws Problem selection, changed
   */
  async proposals(form: URLSearchParams): Promise<readonly Waiting[]> {
    const waiting: Waiting[] = [];
    for (const named of this.named(form, 'proposal')) {
      const [stream = '', id = ''] = named.split(' ');
      const found = await this.load(stream);
      const open = found.proposals.find((each) => each.endedAt === null && each.id === id);
      waiting.push({ found, proposal: open ?? this.refusals.refuse('changed') });
    }
    return waiting;
  }

  /**
   * Payments that a rail reported and whose item is known, each named by its mode and its receipt.
   * @throws Problem selection
   */
  async payments(form: URLSearchParams): Promise<MissedMoney['payments']> {
    const named = new Set(this.named(form, 'payment'));
    const { payments } = await missedMoney(this.database, maxTogether);
    return payments.filter(({ mode, receipt }) => named.has(`${mode} ${receipt}`));
  }

  private named(form: URLSearchParams, name: string): readonly string[] {
    const named = [...new Set(form.getAll(name))];
    if (named.length === 0 || named.length > maxTogether) this.refusals.refuse('selection');
    return named;
  }

  private async load(stream: string): Promise<Case> {
    const item = itemOf(stream);
    return (item && (await this.items.load(item))) ?? this.refusals.refuse('changed');
  }
}

/** Decides several reviews at once, with one decision and one reason. Each item has its own proposal, event and outcome. */
@Controller('portal/reviews')
export class BulkDecisionsController {
  constructor(
    private readonly selection: Selection,
    private readonly decisions: ReviewDecisions,
    private readonly contexts: PageContexts,
    private readonly refusals: Refusals,
  ) {}

  /** Shows the chosen reviews with the decisions that all of them allow. */
  @Post('choose')
  @Permits('reviews.see')
  async choose(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (!permits(viewerOf(request).roles, 'reviews.decide')) this.refusals.refuse('forbidden');
    const found = await this.selection.ofItems(postedForm(request));
    const context = await this.contextFor(request, found);
    sendPage(request, reply, {
      title: context.texts.together.propose,
      content: bulkChoicePage(found, context),
      place: 'reviews',
      isDemo: found.every(({ key }) => key.mode === 'demo'),
    });
  }

  /** Proposes the decision of each item that allows it, or decides it if one operator is enough. */
  @Post('together')
  @Permits('reviews.decide', (sent, controller: BulkDecisionsController) =>
    controller.describeRulings(sent),
  )
  async propose(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = postedForm(request);
    const decision = form.get('decision') ?? '';
    if (!isDecision(decision)) this.refusals.refuse('selection');
    const found = await this.selection.ofItems(form);
    await this.withReason(request, reply, (metadata) =>
      this.each(found, async (item) => {
        const refusal = refusalOf(item, decision);
        return refusal === undefined
          ? this.decisions.resolve(item, { decision }, metadata)
          : { refusal };
      }),
    );
  }

  /** Lets a second operator agree to each. One proof of presence covers the digest of them all. */
  @Post('confirm-together')
  @Permits('reviews.decide', (sent, controller: BulkDecisionsController) =>
    controller.describeProposals(sent),
  )
  async confirm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const form = postedForm(request);
    const waiting = await this.selection.proposals(form);
    const reason = readOwnReason(form, this.contexts.of(viewer).texts);
    if (!reason.ok) {
      await this.send(request, reply, { wrong: reason.refusal.text });
      return;
    }
    const metadata = actingFor(request, viewer, reason.value);
    const outcomes: Outcome[] = [];
    for (const { found, proposal } of waiting)
      outcomes.push({ found, decided: await this.decisions.confirm(found, proposal.id, metadata) });
    await this.send(request, reply, { outcomes });
  }

  /** Opens the review of each payment's item, with the rail's own line, and proposes that it was paid. */
  @Post('open-together')
  @Permits('reviews.open', (sent, controller: BulkDecisionsController) =>
    controller.describePayments(sent),
  )
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const payments = await this.selection.payments(postedForm(request));
    await this.withReason(request, reply, async (metadata) => {
      const outcomes: Outcome[] = [];
      for (const { stream, receipt, amountMinor } of payments) {
        const found = stream === null ? undefined : itemOf(stream);
        if (!found) continue;
        // The time is left out, because the time zone of the rail's list is not certain (REC-22).
        const payment = { receipt, amountMinor };
        outcomes.push({ found, decided: await this.decisions.open(found, payment, metadata) });
      }
      return outcomes;
    });
  }

  /**
   * Describes each item in its present state, and the effect of the decision on it.
   * @throws Problem selection, changed; DependencyUnavailable
   */
  async describeRulings({ request, form }: SentForm): Promise<Description> {
    const decision = form.get('decision') ?? '';
    if (!isDecision(decision)) this.refusals.refuse('selection');
    const found = await this.selection.ofItems(form);
    const context = await this.contextFor(request, found);
    const { texts } = context;
    const { fits, leftOut } = sharedDecision(found, decision);
    const rows = filled([
      [texts.together.decision, decisionWord(decision, texts)],
      [texts.reason, (form.get('reason') ?? '').trim()],
      [texts.together.leftOut, referencesOf(leftOut)],
    ]);
    const details = fits.map((item) => {
      const [name, facts] = itemRow(item, context);
      return [name, `${meaningOf(item, decision, context)} ${facts}`] as const;
    });
    return {
      title: texts.together.propose,
      verb: fits.some((item) => takesTwo(item, decision)) ? 'propose' : 'decide',
      rows,
      items: itemsOf(fits.map((found) => ({ found, said: ruledText(found, decision, texts) }))),
      details,
    };
  }

  /**
   * Describes each item in its present state, with the proposal as it is stored.
   * @throws Problem selection, changed; DependencyUnavailable
   */
  async describeProposals({ request, form }: SentForm): Promise<Description> {
    const waiting = await this.selection.proposals(form);
    const items = waiting.map(({ found }) => found);
    const proposers = waiting.map(({ proposal }) => proposal.proposedBy);
    const context = await this.contextFor(request, items, proposers);
    const { texts } = context;
    const rows = filled([[texts.item.confirmReason, (form.get('own_reason') ?? '').trim()]]);
    const details = waiting.map(({ found, proposal }) => {
      const [name, facts] = itemRow(found, context);
      const said = proposalRows(found, proposal, context).map((row) => row.join(': '));
      return [name, [...said, facts].join('; ')] as const;
    });
    const sums = Map.groupBy(waiting, ({ proposal }) => decisionWord(proposal.decision, texts));
    const subtotals = [...sums].map(
      ([word, of]) => [word, totalText(of.map(({ found }) => found))] as const,
    );
    return {
      title: texts.together.confirm,
      verb: 'confirm',
      rows: filled([...(subtotals.length > 1 ? subtotals : []), ...rows]),
      items: itemsOf(
        waiting.map(({ found, proposal }) => ({
          found,
          said: proposedText(found, proposal, context),
        })),
      ),
      details,
    };
  }

  /**
   * Describes each payment as the rail reported it, with the item that it belongs to.
   * @throws Problem selection; DependencyUnavailable
   */
  async describePayments({ request, form }: SentForm): Promise<Description> {
    const { texts } = this.contexts.of(viewerOf(request));
    const payments = await this.selection.payments(form);
    const rows = filled([
      [texts.together.count, String(payments.length)],
      [texts.reason, (form.get('reason') ?? '').trim()],
    ]);
    const each = payments.map(({ receipt, stream, amountMinor, mode }) => {
      const reference = stream === null ? texts.none : itemOf(stream)?.key.reference;
      const facts = [reference, moneyText(amountMinor, railCurrency), texts.modes[mode]];
      return [receipt, facts.join('; ')] as const;
    });
    return { title: texts.together.openButton, verb: 'propose', rows: [...rows, ...each] };
  }

  private async withReason(
    request: FastifyRequest,
    reply: FastifyReply,
    decide: (
      metadata: CommandMetadata & { readonly reason: string },
    ) => Promise<readonly Outcome[]>,
  ): Promise<void> {
    const { texts, viewer } = this.contexts.of(viewerOf(request));
    const reason = readForEver(postedForm(request).get('reason') ?? '');
    if (!reason.ok) await this.send(request, reply, { wrong: texts.typed[reason.refusal] });
    else {
      const outcomes = await decide(actingAs(request, viewer, reason.value));
      await this.send(request, reply, { outcomes });
    }
  }

  /** Decides one item after another: a list is short, and a burst would load the records. */
  private async each(
    found: readonly Case[],
    decide: (item: Case) => Promise<Decided>,
  ): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const item of found) outcomes.push({ found: item, decided: await decide(item) });
    return outcomes;
  }

  private async send(
    request: FastifyRequest,
    reply: FastifyReply,
    decided: { readonly outcomes: readonly Outcome[] } | { readonly wrong: string },
  ): Promise<void> {
    const items = 'outcomes' in decided ? decided.outcomes.map(({ found }) => found) : [];
    const context = await this.contextFor(request, items);
    sendPage(request, reply, {
      title: context.texts.together.outcomes,
      content: outcomesPage(decided, context),
      place: 'reviews',
      status: 'wrong' in decided ? 422 : 200,
    });
  }

  private contextFor(
    request: FastifyRequest,
    items: readonly Pick<Item, 'key'>[],
    people: readonly string[] = [],
  ): Promise<PageContext> {
    const merchants = items.map(({ key }) => key.merchantId);
    return this.contexts.naming(viewerOf(request), { people, merchants });
  }
}

/** The items as the step-up lists them: the money of each, and what is said about it. */
function itemsOf(
  items: readonly { readonly found: Case; readonly said: string }[],
): DescribedItems {
  const [mode, ...others] = new Set(items.map(({ found }) => found.key.mode));
  return {
    total: totalText(items.map(({ found }) => found)),
    mode: others.length === 0 ? (mode ?? null) : null,
    list: items.map(({ found, said }) => ({
      name: found.key.reference,
      amount: totalText([found]),
      said,
    })),
  };
}

/** The amount that was requested, which another one may have followed, and the fee and net amount of the decision. */
function ruledText(found: Case, decision: ReviewDecision, texts: PageContext['texts']): string {
  const { currency } = found.item;
  const posted = moneySentence(caseMoney(found, { decision, namedMinor: null }), currency, texts);
  const asked = `${texts.item.askedFor}: ${moneyText(askedMinor(found), currency)}`;
  return posted === '' ? asked : `${asked}, ${posted}`;
}

/** The proposal with the fee and net amount that it posts, its proposer and the reason. */
function proposedText(found: Case, proposal: StoredReviewProposal, context: PageContext): string {
  const { texts } = context;
  const { decision, proposedBy, reason } = proposal;
  const posted = moneySentence(proposedMoney(found, proposal), found.item.currency, texts);
  const money = posted === '' ? '' : `${posted}. `;
  return `${decisionWord(decision, texts)}. ${money}${whoText(proposedBy, context)}: ${reason}`;
}
