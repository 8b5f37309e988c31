import { randomBytes } from 'node:crypto';
import { isSameOperator } from '#domain/reviews';
import { referencePattern } from '#domain/collections';
import {
  type CancelRefusal,
  type DecisionRefusal,
  isStoppable,
  type RequestPayoutRefusal,
  waitsForItsBatch,
} from '#domain/payouts';
import { permits } from '#domain/people';
import { ReadDatabase } from '#infra/postgres';
import { Problem } from '#shared/http';
import { listUnsettledPayouts } from '#views/payouts';
import { listTransactions } from '#views/transactions';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { positiveWhole, postedForm } from '../../access/posted-form.js';
import { type Describe, type SentForm } from '../../access/presence.js';
import { refusals } from '../../access/refusals.js';
import { viewerOf } from '../../access/viewer.js';
import { ifAvailable } from '../../page/if-available.js';
import { doneOf, seeOtherPage, sendPage } from '../../page/page.js';
import { moneyText } from '../../page/parts.js';
import { type Description } from '#records/people';
import { MerchantPagesOptions } from '../options.js';
import { personName } from '../colleagues.js';
import { notFound, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { PortalPayouts } from './portal-payouts.js';
import {
  type AskField,
  type AskModel,
  askPage,
  decidePage,
  payoutsPage,
  numberShown,
} from './payouts-page.js';

/** Most payouts in each list; the list of transactions has all of them. */
const maxShown = 50;

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
    private readonly database: ReadDatabase,
    private readonly options: MerchantPagesOptions,
  ) {}

  @Get()
  @Permits('transactions.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const { merchantId, mode } = place;
    const whose = { merchantId, mode, limit: maxShown };
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const page = { ...whose, type: 'payout', dateField: 'created_at' } as const;
    const latest = await ifAvailable(listTransactions(this.database, page, bound));
    const waiting = await ifAvailable(
      listUnsettledPayouts(this.database, { ...whose, status: 'pending_approval' }),
    );
    const mayAsk = permits(viewer.roles, 'payouts.request', merchantId);
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
      content: payoutsPage({ place, waiting, latest: latest?.items, mayAsk }, texts),
      done: told[doneOf(request) ?? ''],
    });
  }

  @Get('ask')
  @Permits('payouts.request')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const { accountNo = '' } = place.accounts[0] ?? {};
    const typed = { account: accountNo, phone: '', amount: '', reference: newReference() };
    this.show(request, reply, { place, typed, problems: {} });
  }

  @Post()
  @Permits('payouts.request')
  async request(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const { payouts: words } = merchantTexts(viewer);
    const place = await this.places.of(request);
    const typed = typedIn(postedForm(request));
    const asked = await this.payouts.forms.read(typed, { viewer, place });
    if ('wrong' in asked) {
      const told = Object.entries(asked.wrong).map(([name, code]) => [name, words.problems[code]]);
      this.show(request, reply, {
        place,
        typed,
        problems: Object.fromEntries(told) as AskModel['problems'],
      });
      return;
    }
    const result = await this.payouts.request(asked.details, { request, viewer });
    if (!result.ok) {
      const code: RequestPayoutRefusal = result.refusal;
      const at: AskField = code === 'destination_not_allowed' ? 'phone' : 'amount';
      this.show(request, reply, { place, typed, problems: { [at]: words.problems[code] } });
      return;
    }
    const { existing } = result.value;
    if (existing && !this.payouts.forms.isSame(asked.details, result.value)) {
      this.show(request, reply, { place, typed, problems: { reference: words.differs } });
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
    const { payouts: words, common } = merchantTexts(viewer);
    const place = await this.places.of(request);
    const { reference, amountMinor } = decisionIn(form);
    const { state } = await this.payouts.find(place, reference);
    if (state.status === 'none') throw notFound();
    const { request: asked } = state;
    if (asked.amountMinor !== amountMinor) throw new Problem(refusals.changed);
    const names = await this.places.people.called(place.merchantId, [asked.holder]);
    const digits = (await this.payouts.forms.lastDigits([asked])).get(reference);
    return {
      title: words.confirm[verdict],
      rows: [
        [words.merchant, place.name],
        [words.mode, words.modes[place.mode]],
        [common.reference, reference],
        [common.amount, moneyText(asked.amountMinor, asked.currency)],
        [common.fee, moneyText(asked.feeMinor, asked.currency)],
        [words.confirm.to, numberShown(asked.phoneMasked, digits, merchantTexts(viewer))],
        [common.account, asked.accountNo],
        [words.askedBy, personName(asked.holder, names)],
      ],
    };
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
    };
    sendPage(request, reply, {
      title: texts.item.title('payout', reference),
      place: 'payouts',
      content: decidePage(model, problem && texts.payouts.problems[problem], { viewer, texts }),
      ...(problem !== undefined && { status: 409, isFault: true }),
    });
  }

  private show(request: FastifyRequest, reply: FastifyReply, model: AskModel): void {
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

/**
 * A new reference for a form, so that sending the form twice asks once. It contains no word, and no number that could
 * be a phone's.
 */
export function newReference(): string {
  return `pay-${randomBytes(9)
    .toString('base64url')
    .replace(/[^A-Za-z0-9]/g, '0')
    .toLowerCase()}`;
}

function typedIn(posted: URLSearchParams): Readonly<Record<AskField, string>> {
  const of = (name: AskField): string => (posted.get(name) ?? '').trim().slice(0, 80);
  return {
    account: of('account'),
    phone: of('phone'),
    amount: of('amount'),
    reference: of('reference'),
  };
}
