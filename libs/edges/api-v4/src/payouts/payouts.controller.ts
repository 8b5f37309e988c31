import { type Position } from '#domain/event-sourcing';
import { type PayoutRequest, type PayoutView } from '#domain/payouts';
import { noteRequest } from '#shared/http';
import { Documented } from '#shared/openapi';
import { transactionFrom, type TransactionItem } from '#views/transactions';
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ByCaller, type Caller, MoneyMovement } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { answer, errors, problem } from '../errors.js';
import { decisionHeaders, recordingHeaders } from '../idempotency/answer-headers.js';
import { MoneyCalls } from '../idempotency/money-calls.js';
import { logHeaders, MinPosition, showPosition } from '../ledger-position.js';
import {
  payoutExample,
  payoutItemExample,
  payoutResponse,
  type PayoutResponse,
  transactionItem,
} from '../transactions/transaction-shapes.js';
import { validated, validatedAgainst } from '../validation/validated.js';
import { PayoutCalls, type PayoutDecisionCall } from './payout-calls.js';
import {
  CancelDto,
  cancelRefusals,
  decisionRefusals,
  DecidePayoutDto,
  payoutReferencePattern,
  PayoutTermsSource,
  referenceInPath,
  RequestPayoutDto,
} from './payout.dto.js';

@Controller('api/v4/payouts')
@V4Authenticated()
export class PayoutsController {
  constructor(
    private readonly payouts: PayoutCalls,
    private readonly moneyCalls: MoneyCalls,
    private readonly minPosition: MinPosition,
  ) {}

  @Post()
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'requestPayout',
    tag: 'Payouts',
    summary: 'Request a payout to a customer',
    description:
      'Records the payout and reserves its amount plus its fee. Nothing is sent before a credential of another holder approves it. **If the reference exists already, the answer is 202 with the current state of that payout, whatever the body says.** Such an answer has `X-PP-Existing: true`, and `X-PP-Differs` names the fields of your request that differ from the payout’s. Payouts and collections have separate references.',
    answer: {
      description: 'The reserved payout, or the current state of the one that has this reference.',
      shape: payoutResponse,
      example: payoutExample,
      headers: recordingHeaders,
    },
    refusals: [
      errors.same_holder,
      errors.destination_not_allowed,
      errors.limit_exceeded,
      errors.insufficient_funds,
      errors.idempotency_in_progress,
      errors.idempotency_key_reused,
    ],
  })
  async request(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(RequestPayoutDto, PayoutTermsSource)) dto: RequestPayoutDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutResponse> {
    const { reference, phone, amount_minor, currency, channel, account_no } = dto;
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: 'POST /api/v4/payouts',
      reference,
      fields: [account_no, phone, amount_minor, currency, channel, reference],
      require: () => this.payouts.requireFitReference(dto, caller),
      seal: () => this.payouts.seal(dto, caller, reply.request),
      current: () => this.payouts.current(caller, reference),
      run: (sealed) => this.payouts.request(dto, caller, sealed),
      differences: (existing: PayoutRequest) => this.payouts.differences(dto, caller, existing),
    });
    return answer(result, payoutResponseOf);
  }

  @Post(':reference/approve')
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'approvePayout',
    tag: 'Payouts',
    summary: 'Approve a payout that another holder requested',
    description:
      'The body may be `{}`, or it may repeat `phone` and `amount_minor`, which must then match the payout’s. If the same holder approves again, the answer is the current state. If an approval expired, the payout needs a new approval with a new `Idempotency-Key`.',
    path: referenceInPath('PAY-1001'),
    answer: {
      description: 'Approved: the payout is `pending`, and is sent once.',
      shape: payoutResponse,
      example: { ...payoutExample, status: 'pending' },
      headers: decisionHeaders,
    },
    refusals: decisionRefusals,
  })
  approve(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body(validated(DecidePayoutDto)) dto: DecidePayoutDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutResponse> {
    return this.decide({ caller, reference, dto, verdict: 'approve' }, reply);
  }

  @Post(':reference/reject')
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'rejectPayout',
    tag: 'Payouts',
    summary: 'Reject a payout that another holder requested',
    description:
      'Releases the reserved money. Nothing is ever sent. The body is the same as for an approval.',
    path: referenceInPath('PAY-1001'),
    answer: {
      description: 'Rejected.',
      shape: payoutResponse,
      example: { ...payoutExample, status: 'rejected' },
      headers: decisionHeaders,
    },
    refusals: decisionRefusals,
  })
  reject(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body(validated(DecidePayoutDto)) dto: DecidePayoutDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutResponse> {
    return this.decide({ caller, reference, dto, verdict: 'reject' }, reply);
  }

  @Post(':reference/cancel')
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'cancelPayout',
    tag: 'Payouts',
    summary: 'Cancel a payout that was not given to the rail',
    description:
      'Cancels a payout before or after its approval. Any holder may do so, even the one that requested it. The body is `{}`. The money is available again, and the webhook `payout.rejected` has the failure code `cancelled`. After the payout was given to the rail, the answer is 409 `not_cancellable`. To cancel a payout of a batch that waits for approval, cancel the batch.',
    path: referenceInPath('PAY-1001'),
    answer: {
      description: 'Cancelled: the payout is `rejected`, and is never sent.',
      shape: payoutResponse,
      example: { ...payoutExample, status: 'rejected' },
      headers: decisionHeaders,
    },
    refusals: cancelRefusals,
  })
  async cancel(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body(validated(CancelDto)) _dto: CancelDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutResponse> {
    if (!payoutReferencePattern.test(reference)) throw problem('not_found');
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: 'POST /api/v4/payouts/{reference}/cancel',
      reference,
      fields: [reference],
      seal: () => this.payouts.seal({ reference }, caller, reply.request),
      current: () => this.payouts.cancelled(caller, reference),
      run: (sealed) => this.payouts.cancel(caller, reference, sealed),
    });
    return answer(result, payoutResponseOf);
  }

  private async decide(call: PayoutDecisionCall, reply: FastifyReply): Promise<PayoutResponse> {
    const { caller, reference, verdict, dto } = call;
    if (!payoutReferencePattern.test(reference)) throw problem('not_found');
    const { phone } = dto;
    const about = { reference, ...(phone === undefined ? {} : { phone }) };
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: `POST /api/v4/payouts/{reference}/${verdict}`,
      reference,
      fields: [reference, dto.phone ?? '', dto.amount_minor ?? ''],
      // An approval may expire. A rejection is final, so its repeat always finds it.
      ...(verdict === 'approve' ? { round: () => this.payouts.round(caller, reference) } : {}),
      seal: () => this.payouts.seal(about, caller, reply.request),
      current: () => this.payouts.decided(call),
      run: (sealed, round) => this.payouts.decide(call, sealed, round),
    });
    return answer(result, payoutResponseOf);
  }

  @Get(':reference')
  @Documented({
    operationId: 'findPayout',
    tag: 'Payouts',
    summary: 'Retrieve a payout',
    description:
      'Returns the same item as the list. It is read from the log itself, so it is always up to date.',
    path: referenceInPath('PAY-1001'),
    answer: {
      description: 'The payout.',
      shape: transactionItem,
      example: payoutItemExample,
      headers: logHeaders,
    },
    refusals: [errors.not_found],
  })
  async find(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Req() request: FastifyRequest,
  ): Promise<TransactionItem> {
    await this.minPosition.check(caller);
    if (!payoutReferencePattern.test(reference)) throw problem('not_found');
    noteRequest(request, { reference });
    const found = await this.payouts.find(caller, reference);
    const position: Position | undefined = found.position;
    const item = transactionFrom(found.events);
    if (!item) throw problem('not_found');
    showPosition(reply, position);
    return found.isPaused ? { ...item, paused: true } : item;
  }
}

/** Returns the body of an answer about a payout. */
export function payoutResponseOf({ view }: { readonly view: PayoutView }): PayoutResponse {
  return {
    status: view.status,
    reference: view.reference,
    rail_reference: view.railReference ?? null,
    amount_minor: view.amountMinor,
    currency: view.currency,
  };
}
