import {
  type PayoutBatchRequest,
  type PayoutBatchView,
  payoutBatchViewOf,
  type RequestPayoutBatchRefusal,
} from '#domain/payouts';
import { ReadDatabase } from '#infra/postgres';
import { BodyLimit, noteRequest } from '#shared/http';
import { Documented } from '#shared/openapi';
import { payoutBatchSums } from '#views/payouts';
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ApiV4Options } from '../api-v4.options.js';
import { ByCaller, type Caller, MoneyMovement } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { answer, errors, problem, type Refusal } from '../errors.js';
import { decisionHeaders, recordingHeaders } from '../idempotency/answer-headers.js';
import { MoneyCalls } from '../idempotency/money-calls.js';
import { MinPosition, showFreshness, viewHeaders } from '../ledger-position.js';
import {
  payoutBatchExample,
  payoutBatchItemsExample,
  payoutBatchResponse,
  type PayoutBatchResponse,
  payoutBatchSummary,
  type PayoutBatchSummary,
  payoutStatuses,
} from '../transactions/transaction-shapes.js';
import { validated, validatedAgainst } from '../validation/validated.js';
import {
  CancelDto,
  cancelRefusals,
  decisionRefusals,
  payoutReferencePattern,
  referenceInPath,
} from './payout.dto.js';
import {
  badReference,
  batchBodyLimitBytes,
  DecidePayoutBatchDto,
  RequestPayoutBatchDto,
  PayoutBatchTermsSource,
  requireNoPhones,
} from './payout-batch.dto.js';
import { type BatchDecisionCall, detailsOf, PayoutBatchCalls } from './payout-batch-calls.js';
import { requestCodes } from './payout-calls.js';

@Controller('api/v4/payout-batches')
@V4Authenticated()
export class PayoutBatchesController {
  constructor(
    private readonly batches: PayoutBatchCalls,
    private readonly moneyCalls: MoneyCalls,
  ) {}

  @Post()
  @HttpCode(202)
  @BodyLimit(batchBodyLimitBytes)
  @MoneyMovement()
  @Documented({
    operationId: 'requestPayoutBatch',
    tag: 'Payouts',
    summary: 'Request up to 1,000 payouts at once',
    description:
      'Records and reserves all payouts or none. If an item is invalid, or its reference exists already, `detail` names it (`items[2].phone: …`). Nothing is sent before a credential of another holder approves the whole batch. After that, each payout has its own status. The body may have up to 512 KiB. **If the batch’s reference exists already, the answer is 202 with the current state of that batch.** Such an answer has `X-PP-Existing: true`, and `X-PP-Differs` names the fields of your request that differ from the batch’s.',
    answer: {
      description: 'The recorded batch, or the current state of the one that has this reference.',
      shape: payoutBatchResponse,
      example: payoutBatchExample,
      headers: recordingHeaders,
    },
    refusals: [
      errors.invalid_phone,
      errors.invalid_amount,
      errors.same_holder,
      errors.destination_not_allowed,
      errors.limit_exceeded,
      errors.insufficient_funds,
      errors.idempotency_in_progress,
      errors.idempotency_key_reused,
    ],
  })
  request(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(RequestPayoutBatchDto, PayoutBatchTermsSource))
    dto: RequestPayoutBatchDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutBatchResponse> {
    return this.batches.underWay.admitted(caller.credential.merchantId, () =>
      this.ask(caller, dto, reply),
    );
  }

  private async ask(
    caller: Caller,
    dto: RequestPayoutBatchDto,
    reply: FastifyReply,
  ): Promise<PayoutBatchResponse> {
    const details = detailsOf(dto, caller);
    const { reference, items } = details;
    const asked = items.flatMap((item) => [
      item.reference,
      item.phone,
      item.amountMinor.toString(),
    ]);
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: 'POST /api/v4/payout-batches',
      reference,
      fields: [reference, dto.account_no, dto.currency, dto.channel, ...asked],
      require: async () => {
        if (!(await this.batches.current(caller, reference))) requireNoPhones(reference, items);
      },
      seal: () => this.batches.seal(details, caller, reply.request),
      current: () => this.batches.current(caller, reference),
      run: (sealed) => this.batches.request(details, sealed),
      differences: (existing: PayoutBatchRequest) => this.batches.differences(details, existing),
    });
    if (!result.ok) throw refused(result.refusal);
    return toResponse(result.value);
  }

  @Post(':reference/approve')
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'approvePayoutBatch',
    tag: 'Payouts',
    summary: 'Approve a batch that another holder requested',
    description:
      'Approves all payouts of the batch. The body may be `{}`, or it may repeat `count` and `amount_minor`, which must then match the batch’s. If the same holder approves again, the answer is the current state. A payout of a batch cannot be approved alone.',
    path: referenceInPath('salaries-2026-11'),
    answer: {
      description: 'Approved: each payout is `pending`, and is sent once.',
      shape: payoutBatchResponse,
      example: { ...payoutBatchExample, status: 'pending' },
      headers: decisionHeaders,
    },
    refusals: decisionRefusals,
  })
  approve(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body(validated(DecidePayoutBatchDto)) dto: DecidePayoutBatchDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutBatchResponse> {
    return this.decide({ caller, reference, dto, verdict: 'approve' }, reply);
  }

  @Post(':reference/reject')
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'rejectPayoutBatch',
    tag: 'Payouts',
    summary: 'Reject a batch that another holder requested',
    description:
      'Releases the reserved money. Nothing is ever sent. The body is the same as for an approval.',
    path: referenceInPath('salaries-2026-11'),
    answer: {
      description: 'Rejected.',
      shape: payoutBatchResponse,
      example: { ...payoutBatchExample, status: 'rejected' },
      headers: decisionHeaders,
    },
    refusals: decisionRefusals,
  })
  reject(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body(validated(DecidePayoutBatchDto)) dto: DecidePayoutBatchDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutBatchResponse> {
    return this.decide({ caller, reference, dto, verdict: 'reject' }, reply);
  }

  @Post(':reference/cancel')
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'cancelPayoutBatch',
    tag: 'Payouts',
    summary: 'Cancel the payouts of a batch that were not given to the rail',
    description:
      'Any holder may cancel, even the one that requested the batch. The body is `{}`. A batch that waits for approval becomes `rejected` as a whole. An approved batch stays `pending`: payouts that were not started become `rejected`, and the others continue. If no payout can be cancelled any more, the answer is 409 `not_cancellable`.',
    path: referenceInPath('salaries-2026-11'),
    answer: {
      description: 'Cancelled.',
      shape: payoutBatchResponse,
      example: { ...payoutBatchExample, status: 'rejected' },
      headers: decisionHeaders,
    },
    refusals: cancelRefusals,
  })
  async cancel(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Body(validated(CancelDto)) _dto: CancelDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PayoutBatchResponse> {
    if (!payoutReferencePattern.test(reference)) throw problem('not_found');
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: 'POST /api/v4/payout-batches/{reference}/cancel',
      reference,
      fields: [reference],
      seal: () => this.batches.seal({ reference }, caller, reply.request),
      current: () => this.batches.cancelled(caller, reference),
      run: (sealed) => this.batches.cancel(caller, reference, sealed),
    });
    return answer(result, toResponse);
  }

  private async decide(call: BatchDecisionCall, reply: FastifyReply): Promise<PayoutBatchResponse> {
    const { caller, reference, verdict, dto } = call;
    if (!payoutReferencePattern.test(reference)) throw problem('not_found');
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: `POST /api/v4/payout-batches/{reference}/${verdict}`,
      reference,
      fields: [reference, dto.count ?? '', dto.amount_minor ?? ''],
      seal: () => this.batches.seal({ reference }, caller, reply.request),
      current: () => this.batches.decided(call),
      run: (sealed) => this.batches.decide(call, sealed),
    });
    // Both values are well-formed. Only now is it known that they belong to another batch.
    if (!result.ok && result.refusal in differing)
      throw problem(result.refusal, {
        detail: differing[result.refusal as keyof typeof differing],
      });
    return answer(result, toResponse);
  }
}

/** The details, by error code, of a decision whose body repeats another batch's figures (PAY-18). */
const differing = {
  invalid_request: 'count must be the number of the batch’s payouts.',
  invalid_amount: 'amount_minor must be the sum of the batch’s payouts, without fees.',
} as const;

/** The outcome of a batch. */
@Controller('api/v4/payout-batches')
@V4Authenticated()
export class PayoutBatchSummaryController {
  constructor(
    private readonly batches: PayoutBatchCalls,
    private readonly database: ReadDatabase,
    private readonly options: ApiV4Options,
    private readonly minPosition: MinPosition,
  ) {}

  @Get(':reference')
  @Documented({
    operationId: 'findPayoutBatch',
    tag: 'Payouts',
    summary: 'Retrieve a batch, with counts and sums by status',
    description:
      'The batch itself is always up to date. Its counts and sums are those of the list, as of `X-PP-Ledger-Position`. To include the effects of a request or an approval, send its position as `X-PP-Min-Position`. `GET /api/v4/transactions?batch={reference}` lists the payouts.',
    path: referenceInPath('salaries-2026-11'),
    answer: {
      description: 'The batch.',
      shape: payoutBatchSummary,
      example: payoutBatchItemsExample,
      headers: viewHeaders,
    },
    refusals: [errors.not_found],
  })
  async find(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Req() request: FastifyRequest,
  ): Promise<PayoutBatchSummary> {
    await this.minPosition.reach(caller);
    if (!payoutReferencePattern.test(reference)) throw problem('not_found');
    noteRequest(request, { reference });
    const { state } = await this.batches.find(caller, reference);
    if (state.status === 'none') throw problem('not_found');
    const { merchantId, mode, accountNo, channel } = state.request;
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const { byStatus, ...freshness } = await this.minPosition.answered(caller, () =>
      payoutBatchSums(this.database, { merchantId, mode, reference }, bound),
    );
    showFreshness(reply, freshness);
    const sumOf = (status: (typeof payoutStatuses)[number]) => {
      const { count, amountMinor } = byStatus.get(status) ?? { count: 0, amountMinor: 0n };
      return { count, amount_minor: amountMinor };
    };
    return {
      ...toResponse({ view: payoutBatchViewOf(state) }),
      account_no: accountNo,
      channel,
      by_status: {
        pending_approval: sumOf('pending_approval'),
        pending: sumOf('pending'),
        completed: sumOf('completed'),
        failed: sumOf('failed'),
        rejected: sumOf('rejected'),
      },
    };
  }
}

function refused(refusal: RequestPayoutBatchRefusal | Refusal) {
  if (typeof refusal === 'string') return problem(refusal);
  return refusal.code === 'reference_exists'
    ? badReference(refusal.item, 'a payout has it already.')
    : problem(requestCodes[refusal.code]);
}

function toResponse({ view }: { readonly view: PayoutBatchView }): PayoutBatchResponse {
  const { reference, status, count, amountMinor, currency } = view;
  return { reference, status, count, amount_minor: amountMinor, currency };
}
