import { type Result } from '#domain/kernel';
import {
  FindPayout,
  payoutStream,
  payoutViewOf,
  type RefundDetails,
  type RefundRail,
  type RequestedPayout,
  RequestRefund,
  type RequestRefundRefusal,
} from '#domain/payouts';
import { noteRequest } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type Call, SealedForms } from '../payouts/sealed-forms.js';
import { RefundForms } from './refund-forms.js';

/** The API's command about refunds, with its checks, on behalf of a person. */
@Injectable()
export class PortalRefunds {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    readonly forms: RefundForms,
    private readonly sealed: SealedForms,
  ) {}

  /** @throws DependencyUnavailable */
  request(
    details: RefundDetails,
    rail: RefundRail,
    call: Call,
  ): Promise<Result<RequestedPayout, RequestRefundRefusal>> {
    noteRequest(call.request, { reference: details.reference });
    const phoneHmac = this.forms.phoneHmac(details);
    return this.sealed.carryOut(
      call,
      { stream: payoutStream(details), ...(phoneHmac === undefined ? {} : { phoneHmac }) },
      {
        run: (metadata) => this.commands.execute(new RequestRefund(details, () => rail, metadata)),
        recordedNothing: (outcome) => !outcome.ok || outcome.value.existing !== undefined,
      },
    );
  }

  /**
   * Compares a refund with the payout that has its reference. `same`: this refund, unless it ended without a payment.
   * @throws DependencyUnavailable
   */
  async earlier(details: RefundDetails): Promise<'none' | 'same' | 'other'> {
    const { merchantId, mode, reference } = details;
    const { state } = await this.queries.execute(new FindPayout({ merchantId, mode, reference }));
    if (state.status === 'none') return 'none';
    const { status } = payoutViewOf(state);
    const hasEnded = status === 'rejected' || status === 'failed';
    return this.forms.isSame(details, state.request) && !hasEnded ? 'same' : 'other';
  }
}
