import { listedReferencePattern } from '#domain/collections';
import { decimalFromMinor } from '#domain/kernel';
import { type RefundDetails } from '#domain/payouts';
import { noteRequest } from '#shared/http';
import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { viewerOf } from '../../access/viewer.js';
import { seeOtherPage, sendPage } from '../../page/page.js';
import { notice } from '../../page/parts.js';
import { PayoutLists } from '../payouts/payout-lists.js';
import { itemAddress, notFound, type Place, Places } from '../place.js';
import { merchantTexts } from '../texts-of.js';
import { PortalRefunds } from './portal-refunds.js';
import { firstReference, type Refundable } from './refund-forms.js';
import { type RefundModel, refundPage, untyped } from './refund-page.js';
import { fieldOf, type RefundProblem, type TypedRefund, typedRefund } from './typed-refund.js';

/** The form that a request has, and the collection of its path. */
interface Asked {
  readonly place: Place;
  readonly collection: string;
  readonly found: Refundable;
  readonly typed: TypedRefund;
}

/** Refunds a collection: the form, its check, and the request (POR-132, POR-133). */
@Controller('portal/merchants/:merchantId/:mode/items/collection/:reference/refund')
@Permits('payouts.request')
export class RefundsController {
  constructor(
    private readonly places: Places,
    private readonly refunds: PortalRefunds,
    private readonly lists: PayoutLists,
  ) {}

  @Get()
  async ask(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.asked(request, reply);
    if (!asked) return;
    const typed = untyped(asked.found, firstReference(asked.found.collection));
    await this.show(request, reply, { ...asked, typed });
  }

  /** Shows the refund's way and the balance after, and requests nothing. */
  @Post('check')
  async check(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const sent = await this.asked(request, reply);
    const asked = sent && { ...sent, typed: wholeTyped(sent) };
    const details = asked && (await this.detailsOf(request, reply, asked));
    if (!asked || !details) return;
    const earlier = await this.refunds.earlier(details);
    if (earlier !== 'none') {
      await this.answerEarlier(request, reply, asked, earlier);
      return;
    }
    const preview = this.refunds.forms.preview(details, asked.found);
    if (!preview.ok) {
      await this.refuse(request, reply, asked, preview.refusal);
      return;
    }
    const { amountMinor, refund } = preview.value;
    const checked = { amountMinor, isReversed: refund?.reverses !== undefined };
    await this.show(request, reply, { ...asked, checked });
  }

  @Post()
  async request(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asked = await this.asked(request, reply);
    const details = asked && (await this.detailsOf(request, reply, asked));
    if (!asked || !details) return;
    const call = { request, viewer: viewerOf(request) };
    const result = await this.refunds.request(details, asked.found.rail, call);
    if (!result.ok) await this.refuse(request, reply, asked, result.refusal);
    else if (!result.value.existing) seeOtherPage(reply, `${addressOf(asked)}?done=refund_asked`);
    else await this.answerEarlier(request, reply, asked, await this.refunds.earlier(details));
  }

  /**
   * Finds the collection of the path, and reads the form. If the collection cannot be refunded, that is the answer; a form
   * that is sent again leads to the refund that it requested.
   * @throws Problem not_found
   */
  private async asked(request: FastifyRequest, reply: FastifyReply): Promise<Asked | undefined> {
    const place = await this.places.of(request);
    const { reference: collection = '' } = request.params as Partial<Record<string, string>>;
    if (!listedReferencePattern.test(collection)) throw notFound();
    noteRequest(request, { reference: collection });
    const found = await this.refunds.forms.find(place, collection);
    if (!found) throw notFound();
    const typed = typedRefund(postedForm(request));
    if (!('problem' in found)) return { place, collection, found, typed };
    const viewer = viewerOf(request);
    const details = await this.refunds.forms.read(typed, collection, { viewer, place });
    if (!('problem' in details) && (await this.refunds.earlier(details)) === 'same')
      seeOtherPage(reply, `${addressOf({ place, collection })}?done=refund_existing`);
    else this.showUnfit(request, reply, { place, collection }, found.problem);
    return undefined;
  }

  /** Reads the form. If it has an error, it is answered with it. */
  private async detailsOf(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Asked,
  ): Promise<RefundDetails | undefined> {
    const { place, collection, typed } = asked;
    const viewer = viewerOf(request);
    const details = await this.refunds.forms.read(typed, collection, { viewer, place });
    if (!('problem' in details)) return details;
    await this.refuse(request, reply, asked, details.problem);
    return undefined;
  }

  private async answerEarlier(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Asked,
    earlier: 'none' | 'same' | 'other',
  ): Promise<void> {
    if (earlier === 'same') seeOtherPage(reply, `${addressOf(asked)}?done=refund_existing`);
    else await this.refuse(request, reply, asked, 'reference_taken');
  }

  private refuse(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Asked,
    problem: RefundProblem | 'unknown_collection',
  ): Promise<void> {
    if (problem === 'unknown_collection') throw notFound();
    const { problems } = merchantTexts(viewerOf(request)).refunds;
    const field = fieldOf(problem, asked.typed.how === 'whole' && asked.found.isReversible);
    return this.show(request, reply, { ...asked, wrong: { field, text: problems[problem] } });
  }

  private async show(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Asked & Pick<RefundModel, 'wrong' | 'checked'>,
  ): Promise<void> {
    const viewer = viewerOf(request);
    const texts = merchantTexts(viewer);
    const { accountNo } = asked.found.collection.intent;
    const balance = await this.lists.balanceOf(asked.place, accountNo);
    const isFault = asked.wrong !== undefined;
    sendPage(request, reply, {
      ...headOf(asked, texts),
      content: refundPage({ ...asked, availableMinor: balance?.availableMinor }, { viewer, texts }),
      ...(isFault && { status: 422, isFault }),
    });
  }

  private showUnfit(
    request: FastifyRequest,
    reply: FastifyReply,
    of: Pick<Asked, 'place' | 'collection'>,
    problem: RefundProblem,
  ): void {
    const texts = merchantTexts(viewerOf(request));
    const content = notice('warning', texts.refunds.problems[problem]);
    sendPage(request, reply, { ...headOf(of, texts), content, status: 409, isFault: true });
  }
}

/**
 * The form with the amount of a whole refund. It is confirmed and sent with that amount, so that it does not change with
 * the sum that is left. Fields of a part count only with that choice.
 */
function wholeTyped({ typed, found }: Asked): TypedRefund {
  if (typed.how !== 'whole') return typed;
  return { ...typed, amount: decimalFromMinor(found.leftMinor), phone: '' };
}

function headOf(of: Pick<Asked, 'place' | 'collection'>, texts: ReturnType<typeof merchantTexts>) {
  return {
    title: texts.refunds.title(of.collection),
    place: 'transactions',
    back: { href: addressOf(of), text: texts.item.title('collection', of.collection) },
  } as const;
}

function addressOf({ place, collection }: Pick<Asked, 'place' | 'collection'>): string {
  return itemAddress(place, { type: 'collection', reference: collection });
}
