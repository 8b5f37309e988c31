import { isSameOperator } from '#domain/reviews';
import { referencePattern } from '#domain/collections';
import {
  type CancelRefusal,
  type DecisionRefusal,
  isStoppable,
  type PayoutDetails,
  type PayoutRequest,
  type RequestPayoutRefusal,
  waitsForItsBatch,
} from '#domain/payouts';
import { feeFor } from '#domain/ledger';
import { permits } from '#domain/people';
import { Problem } from '#shared/http';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { positiveWhole, postedForm } from '../../access/posted-form.js';
import { type Describe, type SentForm } from '../../access/presence.js';
import { refusals } from '../../access/refusals.js';
import { viewerOf } from '../../access/viewer.js';
import { doneOf, seeOtherPage, sendPage } from '../../page/page.js';
import { moneyText } from '../../page/parts.js';
import { type Description } from '#records/people';
import { personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { notFound, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { PortalPayouts } from './portal-payouts.js';
import { type AskField, type AskModel, askPage } from './ask-page.js';
import { decidePage, numberShown, wayOf } from './decide-page.js';
import { balanceAfter, PayoutLists } from './payout-lists.js';
import { problemWords, railRows } from './rail-field.js';
import { newReference } from './new-reference.js';
import { payoutActions, payoutsPage } from './payouts-page.js';

/** Describes an approval or a rejection to the person who confirms it. */
const described =
  (verdict: Verdict): Describe<PayoutsController> =>
  (sent, controller) =>
    controller.describe(verdict, sent);

type Verdict = 'approve' | 'reject';

@Controller('portal/merchants/:merchantId/:mode/payouts')
export class PayoutsController {
  constructor(
    private readonly places: Places,
    private readonly payouts: PortalPayouts,
    private readonly lists: PayoutLists,
  ) {}

  @Get()
  @Permits('transactions.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const mayAsk = permits(viewer.roles, 'payouts.request', place.merchantId);
    const model = await this.lists.of(place, viewer);
    const { payouts: words } = texts;
    const told: Readonly<Record<string, string>> = {
      asked: words.asked,
      existing: words.existing,
      approved: words.approved,
      rejected: words.rejected,
      cancelled: words.cancelled,
    };
    sendPage(request, reply, {
      title: texts.sections.payouts,
      place: 'payouts',
      actions: mayAsk ? payoutActions(place, texts) : undefined,
      content: payoutsPage(model, { viewer, texts }),
      done: told[doneOf(request) ?? ''],
    });
  }

  @Get('ask')
  @Permits('payouts.request')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const { accountNo = '' } = place.accounts[0] ?? {};
    const typed = {
      account: accountNo,
      channel: '',
      phone: '',
      amount: '',
      reference: newReference('pay'),
    };
    await this.show(request, reply, { place, typed, problems: {} });
  }

  /** Shows what the form comes to and requests nothing (POR-27). */
  @Post('check')
  @Permits('payouts.request')
  async check(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const typed = typedIn(postedForm(request));
    const details = await this.detailsOf(request, reply, { place, typed });
    if (!details) return;
    const { account, amountMinor } = details;
    const balance = await this.lists.balanceOf(place, account.accountNo);
    const checked = {
      currency: account.currency,
      amountMinor,
      feeMinor: feeFor(account.feeSchedule, amountMinor),
      phone: typed.phone,
      availableMinor: balance?.availableMinor,
    };
    await this.show(request, reply, { place, typed, problems: {}, checked });
  }

  @Post()
  @Permits('payouts.request')
  async request(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const { payouts: words } = merchantTexts(viewer);
    const place = await this.places.of(request);
    const typed = typedIn(postedForm(request));
    const details = await this.detailsOf(request, reply, { place, typed });
    if (!details) return;
    const result = await this.payouts.request(details, { request, viewer });
    if (!result.ok) {
      const code: RequestPayoutRefusal = result.refusal;
      const at: AskField = code === 'destination_not_allowed' ? 'phone' : 'amount';
      await this.show(request, reply, { place, typed, problems: { [at]: words.problems[code] } });
      return;
    }
    const { existing } = result.value;
    if (existing && !this.payouts.forms.isSame(details, result.value)) {
      await this.show(request, reply, { place, typed, problems: { reference: words.differs } });
      return;
    }
    seeOtherPage(reply, `${place.base}/payouts?done=${existing ? 'existing' : 'asked'}`);
  }

  @Get('waiting/:reference')
  @Permits('transactions.see')
  async waiting(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { reference = '' } = request.params as Partial<Record<string, string>>;
    await this.showOne(request, reply, { reference, problem: undefined });
  }

  @Post('approve')
  @Permits('payouts.approve', described('approve'))
  approve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide('approve', request, reply);
  }

  @Post('reject')
  @Permits('payouts.approve', described('reject'))
  reject(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide('reject', request, reply);
  }

  /** A cancellation needs no proof of presence: the money stays where it is. */
  @Post('cancel')
  @Permits('payouts.cancel')
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const place = await this.places.of(request);
    const reference = postedForm(request).get('reference') ?? '';
    if (!referencePattern.test(reference)) throw notFound();
    const result = await this.payouts.cancel(reference, { request, viewer, place });
    if (result.ok) seeOtherPage(reply, `${place.base}/payouts?done=cancelled`);
    else await this.showOne(request, reply, { reference, problem: result.refusal });
  }

  /**
   * Describes the payout by its own events. The form names it and the amount that its sender saw.
   * @throws Problem not_found, changed; DependencyUnavailable
   */
  async describe(verdict: Verdict, { request, form, viewer }: SentForm): Promise<Description> {
    const texts = merchantTexts(viewer);
    const { payouts: words, common } = texts;
    const place = await this.places.of(request);
    const { reference, amountMinor } = decisionIn(form);
    const { state } = await this.payouts.find(place, reference);
    if (state.status === 'none') throw notFound();
    const { request: asked } = state;
    if (asked.amountMinor !== amountMinor) throw new Problem(refusals.changed);
    const names = await this.places.people.called(place.merchantId, [asked.holder]);
    const digits = (await this.payouts.forms.lastDigits([asked])).get(reference);
    return {
      title: (asked.refund ? texts.refunds : words).confirm[verdict],
      verb: verdict,
      payment: {
        amount: moneyText(asked.amountMinor, asked.currency),
        to: numberShown(asked.phoneMasked, digits, texts),
        merchant: place.name,
        mode: place.mode,
      },
      rows: [
        ...railRows(asked.channel, texts),
        [common.fee, moneyText(asked.feeMinor, asked.currency)],
        [words.total, moneyText(asked.amountMinor + asked.feeMinor, asked.currency)],
        [words.askedBy, personName(asked.holder, names)],
        [common.account, asked.accountNo],
        [common.reference, reference],
        ...refundRows(asked, texts),
      ],
      ...(verdict === 'approve' &&
        balanceAfter(await this.lists.balanceOf(place, asked.accountNo), texts)),
    };
  }

  /** Reads the form of a payout. If it has errors, it is answered with them. */
  private async detailsOf(
    request: FastifyRequest,
    reply: FastifyReply,
    { place, typed }: Pick<AskModel, 'place' | 'typed'>,
  ): Promise<PayoutDetails | undefined> {
    const viewer = viewerOf(request);
    const asked = await this.payouts.forms.read(typed, { viewer, place });
    if (!('wrong' in asked)) return asked.details;
    const { problems } = merchantTexts(viewer).payouts;
    const words = problemWords(problems, this.payouts.forms.railsOf(place), typed.channel);
    const told = Object.entries(asked.wrong).map(([name, code]) => [name, words[code]]);
    const wrong = Object.fromEntries(told) as AskModel['problems'];
    await this.show(request, reply, { place, typed, problems: wrong });
    return undefined;
  }

  private async decide(
    verdict: Verdict,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const viewer = viewerOf(request);
    const place = await this.places.of(request);
    const { reference, amountMinor } = decisionIn(postedForm(request));
    const decision = { verdict, reference, amountMinor };
    const result = await this.payouts.decide(decision, { request, viewer, place });
    if (result.ok)
      seeOtherPage(
        reply,
        `${place.base}/payouts?done=${verdict === 'approve' ? 'approved' : 'rejected'}`,
      );
    else await this.showOne(request, reply, { reference, problem: result.refusal });
  }

  private async showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      reference,
      problem,
    }: {
      readonly reference: string;
      readonly problem: DecisionRefusal | CancelRefusal | undefined;
    },
  ): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    if (!referencePattern.test(reference)) throw notFound();
    const { state, isPaused } = await this.payouts.find(place, reference);
    if (state.status === 'none') throw notFound();
    const isForBatch = waitsForItsBatch(state);
    const mayDecide = permits(viewer.roles, 'payouts.approve', place.merchantId);
    const digits = mayDecide ? await this.payouts.forms.lastDigits([state.request]) : undefined;
    const holder = await this.payouts.forms.holderOf(viewer, place);
    const model = {
      place,
      names: await this.places.people.called(place.merchantId, [state.request.holder]),
      request: state.request,
      isWaiting: state.status === 'reserved' && !isForBatch,
      isOwn: isSameOperator(holder, state.request.holder),
      mayDecide,
      mayCancel:
        isStoppable(state) &&
        !isForBatch &&
        permits(viewer.roles, 'payouts.cancel', place.merchantId),
      isPaused,
      lastDigits: digits?.get(reference),
      availableMinor: (await this.lists.balanceOf(place, state.request.accountNo))?.availableMinor,
    };
    sendPage(request, reply, {
      title: texts.item.title('payout', reference),
      place: 'payouts',
      content: decidePage(model, problem && texts.payouts.problems[problem], { viewer, texts }),
      ...(problem !== undefined && { status: 409, isFault: true }),
    });
  }

  private async show(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Omit<AskModel, 'balances' | 'channels'>,
  ): Promise<void> {
    const { place } = asked;
    const balances = await this.lists.balancesOf(place);
    const channels = this.payouts.forms.railsOf(place);
    const model = { ...asked, balances, channels };
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const isFault = Object.keys(model.problems).length > 0;
    sendPage(request, reply, {
      title: texts.payouts.ask,
      place: 'payouts',
      content: askPage(model, { viewer, texts }),
      ...(isFault && { status: 422, isFault }),
    });
  }
}

/** The facts about a refund that an approver confirms beside those of a payout. */
function refundRows({ refund }: PayoutRequest, texts: MerchantTexts): Description['rows'] {
  if (!refund) return [];
  return [
    [texts.item.refundOf, refund.reference],
    [texts.refunds.way, wayOf(refund, texts)],
  ];
}

/**
 * Reads which payout the form names, and the amount that its sender saw.
 * @throws Problem not_found
 */
function decisionIn(form: URLSearchParams) {
  const reference = form.get('reference') ?? '';
  const amountMinor = positiveWhole(form.get('amount_minor'));
  if (amountMinor === undefined || !referencePattern.test(reference)) throw notFound();
  return { reference, amountMinor };
}

function typedIn(posted: URLSearchParams): Readonly<Record<AskField, string>> {
  const of = (name: AskField): string => (posted.get(name) ?? '').trim().slice(0, 80);
  return {
    account: of('account'),
    channel: of('channel'),
    phone: of('phone'),
    amount: of('amount'),
    reference: of('reference'),
  };
}
