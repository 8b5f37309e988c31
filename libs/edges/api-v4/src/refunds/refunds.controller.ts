import { listedReferencePattern } from '#domain/collections';
import { type PayoutRequest } from '#domain/payouts';
import { Documented } from '#shared/openapi';
import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { ByCaller, type Caller, MoneyMovement } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { referenceInPath } from '../collections/collections.controller.js';
import { errors, problem } from '../errors.js';
import { recordingHeaders } from '../idempotency/answer-headers.js';
import { MoneyCalls } from '../idempotency/money-calls.js';
import { PayoutCalls } from '../payouts/payout-calls.js';
import { payoutResponseOf } from '../payouts/payouts.controller.js';
import {
  payoutResponse,
  type PayoutResponse,
  refundExample,
} from '../transactions/transaction-shapes.js';
import { validated } from '../validation/validated.js';
import { RefundCalls, refundProblem } from './refund-calls.js';
import { RequestRefundDto } from './refund.dto.js';

@Controller('api/v4/collections')
@V4Authenticated()
export class RefundsController {
  constructor(
    private readonly refunds: RefundCalls,
    private readonly payouts: PayoutCalls,
    private readonly moneyCalls: MoneyCalls,
  ) {}

  @Post(':reference/refund')
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'refundCollection',
    tag: 'Refunds',
    summary: 'Give a customer’s payment back',
    description:
      'Records a refund of a completed collection and reserves its money. A refund is a payout: approve or reject it with the payout calls, by a credential of another holder, and find it under `type=payout`. Without `amount_minor`, everything that is left is given back. M-Pesa reverses a whole payment by its receipt. A part is sent to the number that paid, so name it as `phone`. A refund carries no fee, and the fee of the collection is not returned. All refunds of a collection together never exceed its amount. **If the reference exists already, the answer is 202 with the current state of that payout or refund, whatever the body says**, with `X-PP-Existing` and `X-PP-Differs` as for a payout.',
    path: { reference: { ...referenceInPath, description: 'The reference of the collection.' } },
    answer: {
      description: 'The reserved refund, or the current state of the payout with this reference.',
      shape: payoutResponse,
      example: refundExample,
      headers: recordingHeaders,
    },
    refusals: [
      errors.not_found,
      errors.not_refundable,
      errors.same_holder,
      errors.destination_not_allowed,
      errors.limit_exceeded,
      errors.insufficient_funds,
      errors.idempotency_in_progress,
      errors.idempotency_key_reused,
    ],
  })
  async refund(
    @ByCaller() caller: Caller,
    @Param('reference') collection: string,
    @Body(validated(RequestRefundDto)) dto: RequestRefundDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutResponse> {
    if (!listedReferencePattern.test(collection)) throw problem('not_found');
    const { reference, phone, amount_minor } = dto;
    const call = { caller, collection, dto };
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: 'POST /api/v4/collections/{reference}/refund',
      reference,
      fields: [collection, phone ?? '', amount_minor ?? '', reference],
      seal: () => this.payouts.seal(dto, caller, reply.request),
      current: () => this.payouts.current(caller, reference),
      run: (sealed) => this.refunds.request(call, sealed),
      differences: (existing: PayoutRequest) => this.refunds.differences(call, existing),
    });
    if (!result.ok) throw refundProblem(result.refusal);
    return payoutResponseOf(result.value);
  }
}
