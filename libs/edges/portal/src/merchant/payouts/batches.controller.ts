import { isSameOperator } from '#domain/reviews';
import { referencePattern } from '#domain/collections';
import { type BatchCancelRefusal, payoutBatchViewOf } from '#domain/payouts';
import { permits } from '#domain/people';
import { httpErrors, Problem, streamedBody, StreamsBody } from '#shared/http';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { assertForm, formTokenField } from '../../access/form-token.js';
import { positiveWhole, postedForm } from '../../access/posted-form.js';
import { type Describe, type SentForm } from '../../access/presence.js';
import { refusals, seeOther } from '../../access/refusals.js';
import { viewerOf } from '../../access/viewer.js';
import { seeOtherPage, sendPage } from '../../page/page.js';
import { textsOf } from '../../text/texts-of.js';
import { moneyText } from '../../page/parts.js';
import { type Description } from '#records/people';
import { bytesOf, readUpload } from '../days/upload.js';
import { personName } from '../colleagues.js';
import { notFound, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { type MerchantTexts } from '../merchant-texts.js';
import {
  askBatchPage,
  type AskBatchModel,
  batchPage,
  type BatchProblem,
  maxRowsShown,
} from './batch-page.js';
import { type AskedBatch } from './payout-forms.js';
import { balanceAfter, PayoutLists } from './payout-lists.js';
import { PortalBatches } from './portal-batches.js';
import { problemWords, railRows } from './rail-field.js';
import { newReference } from './new-reference.js';

/** The same limit as for the API's batches; a file of a thousand rows takes a tenth of it. */
const maxUploadBytes = 512 * 1024;
const countPattern = /^[1-9][0-9]{0,3}$/;

/** Describes an approval or a rejection to the person who confirms it. */
const described =
  (verdict: Verdict): Describe<BatchesController> =>
  (sent, controller) =>
    controller.describe(verdict, sent);

type Verdict = 'approve' | 'reject';

@Controller('portal/merchants/:merchantId/:mode/payouts/batches')
export class BatchesController {
  constructor(
    private readonly places: Places,
    private readonly batches: PortalBatches,
    private readonly lists: PayoutLists,
  ) {}

  @Get()
  @Permits('payouts.request')
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const typed = { account: '', channel: '', reference: newReference('pay') };
    this.show(request, reply, { place, typed, problems: [] });
  }

  @Post()
  @Permits('payouts.request')
  @StreamsBody(maxUploadBytes)
  async request(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const { fields, bytes } = await this.read(request);
    await assertForm(request, fields.get(formTokenField));
    const typed = {
      account: textOf(fields, 'account'),
      channel: textOf(fields, 'channel'),
      reference: textOf(fields, 'reference'),
    };
    const text = bytes.toString('utf8');
    const asked = await this.batches.forms.readBatch({ ...typed, text }, { viewer, place });
    const again = (problems: readonly string[]): void => {
      this.show(request, reply, { place, typed, problems });
    };
    if (!('details' in asked)) {
      const channels = this.batches.forms.railsOf(place);
      again(problemsOf(asked, problemWords(texts.batches, channels, typed.channel)));
      return;
    }
    const { details } = asked;
    const result = await this.batches.request(details, bytes, { request, viewer });
    if (!result.ok) {
      const { refusal } = result;
      again(
        refusal.code === 'reference_exists'
          ? [texts.batches.row(refusal.item + 2, texts.batches.problems.reference_exists)]
          : [texts.payouts.problems[refusal.code]],
      );
      return;
    }
    const { existing } = result.value;
    if (existing && !(await this.batches.isSame(details, existing)))
      again([texts.batches.problems.differs]);
    else
      seeOtherPage(reply, `${place.base}/payouts/batches/${encodeURIComponent(details.reference)}`);
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
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const reference = postedForm(request).get('reference') ?? '';
    if (!referencePattern.test(reference)) throw notFound();
    const result = await this.batches.cancel(reference, { request, viewer, place });
    if (result.ok) {
      seeOtherPage(reply, `${place.base}/payouts?done=cancelled`);
      return;
    }
    await this.showOne(request, reply, {
      reference,
      problem: cancelProblem(result.refusal, texts),
    });
  }

  @Get(':reference')
  @Permits('transactions.see')
  async one(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { reference = '' } = request.params as Partial<Record<string, string>>;
    await this.showOne(request, reply, { reference, problem: undefined });
  }

  private async read(request: FastifyRequest) {
    const body = streamedBody(request);
    if (!body) throw new Problem(httpErrors.invalid_request);
    const upload = await readUpload(body, viewerOf(request).person);
    try {
      return { fields: upload.fields, bytes: await bytesOf(upload) };
    } finally {
      await upload.close();
    }
  }

  /**
   * Describes the batch by its own events. The form names it, and the number, sum and payouts that its sender saw. If
   * an approval names no payouts, it comes from a page that showed none: its sender is led to the page that does.
   * @throws Problem not_found, changed; DependencyUnavailable
   */
  async describe(verdict: Verdict, { request, form, viewer }: SentForm): Promise<Description> {
    const { batches: words, common, payouts } = merchantTexts(viewer);
    const { batch: confirm } = textsOf(viewer).stepUp;
    const place = await this.places.of(request);
    const seen = decisionIn(form);
    const state = await this.batches.find(place, seen.reference);
    if (state.status === 'none') throw notFound();
    const { count, amountMinor, currency, accountNo, holder } = state.request;
    if (count !== seen.count || amountMinor !== seen.amountMinor)
      throw new Problem(refusals.changed);
    const { items, digest } = await this.batches.itemsOf(state.request);
    if (verdict === 'approve' && seen.digest === undefined)
      throw seeOther(`${place.base}/payouts/batches/${encodeURIComponent(seen.reference)}`);
    if (verdict === 'approve' && seen.digest !== digest) throw new Problem(refusals.changed);
    const names = await this.places.people.called(place.merchantId, [holder]);
    const feeMinor = items.reduce((sum, item) => sum + item.feeMinor, 0n);
    return {
      title: confirm.titles[verdict],
      verb: verdict,
      payment: {
        amount: moneyText(amountMinor, currency),
        to: confirm.payouts(count),
        merchant: place.name,
        mode: place.mode,
      },
      rows: [
        ...railRows(state.request.channel, merchantTexts(viewer)),
        [common.fee, moneyText(feeMinor, currency)],
        [payouts.askedBy, personName(holder, names)],
        [common.account, accountNo],
        [words.reference, seen.reference],
      ],
      ...(verdict === 'approve' &&
        balanceAfter(await this.lists.balanceOf(place, accountNo), merchantTexts(viewer))),
    };
  }

  private async decide(
    verdict: Verdict,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    const seen = decisionIn(postedForm(request));
    const { reference } = seen;
    const result = await this.batches.decide({ verdict, ...seen }, { request, viewer, place });
    if (result.ok) {
      const done = verdict === 'approve' ? 'approved' : 'rejected';
      seeOtherPage(reply, `${place.base}/payouts?done=${done}`);
      return;
    }
    const { refusal } = result;
    const problem =
      refusal === 'unknown_batch' || refusal === 'count_differs' || refusal === 'items_differ'
        ? texts.batches.problems[refusal]
        : texts.payouts.problems[refusal];
    await this.showOne(request, reply, { reference, problem });
  }

  private async showOne(
    request: FastifyRequest,
    reply: FastifyReply,
    { reference, problem }: { readonly reference: string; readonly problem: string | undefined },
  ): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const place = await this.places.of(request);
    if (!referencePattern.test(reference)) throw notFound();
    const state = await this.batches.find(place, reference);
    if (state.status === 'none') throw notFound();
    const holder = await this.batches.forms.holderOf(viewer, place);
    const { status } = payoutBatchViewOf(state);
    const shown = await this.batches.itemsOf(state.request);
    const mayDecide = permits(viewer.roles, 'payouts.approve', place.merchantId);
    const isOpen = status === 'pending_approval' && mayDecide;
    const model = {
      place,
      shown,
      lastDigits: isOpen ? await this.batches.forms.lastDigits(shown.items) : new Map(),
      names: await this.places.people.called(place.merchantId, [state.request.holder]),
      request: state.request,
      status,
      problem,
      isOwn: isSameOperator(holder, state.request.holder),
      mayDecide,
      mayCancel:
        (state.status === 'requested' || state.status === 'approved') &&
        permits(viewer.roles, 'payouts.cancel', place.merchantId),
    };
    sendPage(request, reply, {
      title: texts.batches.title(reference),
      place: 'payouts',
      content: batchPage(model, { viewer, texts }),
      ...(problem !== undefined && { status: 409, isFault: true }),
    });
  }

  private show(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Omit<AskBatchModel, 'channels'>,
  ): void {
    const model = { ...asked, channels: this.batches.forms.railsOf(asked.place) };
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const isFault = model.problems.length > 0;
    sendPage(request, reply, {
      title: texts.batches.ask,
      place: 'payouts',
      content: askBatchPage(model, { viewer, texts }),
      ...(isFault && { status: 422, isFault }),
    });
  }
}

/** The reason why a batch cannot be cancelled, with the payouts that prevent it, if there are any (PAY-46). */
function cancelProblem({ code, given }: BatchCancelRefusal, texts: MerchantTexts): string {
  if (code === 'unknown_batch') return texts.batches.problems.unknown_batch;
  return given.length === 0
    ? texts.payouts.problems.not_cancellable
    : texts.batches.givenBefore(given.length, given.slice(0, maxRowsShown).join(', '));
}

/**
 * Reads which batch the form names, and the facts that its sender saw.
 * @throws Problem not_found
 */
function decisionIn(form: URLSearchParams) {
  const of = (name: string): string => form.get(name) ?? '';
  const [reference, count] = [of('reference'), of('count')];
  const amountMinor = positiveWhole(of('amount_minor'));
  const digest = form.get('items') ?? undefined;
  const isFit = referencePattern.test(reference) && countPattern.test(count);
  if (amountMinor === undefined || !isFit) throw notFound();
  return { reference, amountMinor, count: Number(count), digest };
}

function textOf(fields: ReadonlyMap<string, string>, name: string): string {
  return (fields.get(name) ?? '').trim().slice(0, 80);
}

function problemsOf(
  asked: Exclude<AskedBatch, { readonly details: unknown }>,
  words: MerchantTexts['batches'],
): readonly string[] {
  if ('wrong' in asked) return [words.problems[asked.wrong]];
  const told = asked.wrongRows
    .slice(0, maxRowsShown)
    .map(({ row, problem }) => words.row(row, words.problems[problem satisfies BatchProblem]));
  const more = asked.wrongRows.length - told.length;
  return more > 0 ? [...told, words.more(more)] : told;
}
