import { referenceHoldsPhone } from '#domain/collections';
import { type Position } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import {
  type DecidedPayout,
  type DecisionRefusal,
  DecidePayout,
  FindPayout,
  type FoundPayout,
  isDecidedBy,
  type PayoutDetails,
  PayoutPhones,
  payoutViewOf,
  payoutStream,
  type PayoutView,
  type RequestedPayout,
  RequestPayout,
  type RequestPayoutRefusal,
} from '#domain/payouts';
import { bodyBytes, noteRequest, RequestSeal, type SealedRequest } from '#shared/http';
import { Documented } from '#shared/openapi';
import { transactionFrom, type TransactionItem } from '#views/transactions';
import { Body, Controller, Get, HttpCode, Injectable, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { ByCaller, type Caller, MoneyMovement } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { CreateCollectionDto } from '../collections/create-collection.dto.js';
import {
  namedDifferences,
  phoneInReference,
  showExisting,
} from '../collections/collections.controller.js';
import { answer, errors, problem, type Refusal } from '../errors.js';
import { Idempotency } from '../idempotency/idempotency.js';
import { logHeaders, MinPosition, showPosition } from '../ledger-position.js';
import {
  payoutExample,
  payoutItemExample,
  payoutResponse,
  type PayoutResponse,
  transactionItem,
} from '../transactions/transaction-shapes.js';
import { validated, validatedAgainst } from '../validation/validated.js';
import {
  decisionRefusals,
  DecidePayoutDto,
  payoutReferencePattern,
  PayoutTermsSource,
  referenceInPath,
} from './payout.dto.js';

/** What this edge asks the payouts for, in a caller's name. */
@Injectable()
export class PayoutCalls {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly requests: RequestSeal,
    private readonly phones: PayoutPhones,
  ) {}

  /** The request as evidence of what it asks for. */
  seal(
    { reference, phone }: { readonly reference: string; readonly phone?: string },
    caller: Caller,
    request: FastifyRequest,
  ): SealedRequest {
    const { merchantId, mode } = caller.credential;
    return this.requests.seal(caller, {
      stream: payoutStream({ merchantId, mode, reference }),
      ...(phone === undefined ? {} : { phoneHmac: this.phones.tracesOf(phone).phoneHmac }),
      bytes: bodyBytes(request),
    });
  }

  request(
    dto: CreateCollectionDto,
    caller: Caller,
    { metadata }: SealedRequest,
  ): Promise<Result<RequestedPayout, RequestPayoutRefusal>> {
    return this.commands.execute(new RequestPayout(detailsOf(dto, caller), metadata));
  }

  /** The caller's payout of this reference, in the mode of the credential. */
  find({ credential: { merchantId, mode } }: Caller, reference: string): Promise<FoundPayout> {
    return this.queries.execute(new FindPayout({ merchantId, mode, reference }));
  }

  /**
   * A new reference that holds the customer's number is refused before anything is claimed or recorded.
   * @throws Problem invalid_reference; DependencyUnavailable
   */
  async requireFitReference({ reference, phone }: CreateCollectionDto, caller: Caller) {
    if (!referenceHoldsPhone(reference, phone)) return;
    const { state } = await this.find(caller, reference);
    if (state.status === 'none') throw problem('invalid_reference', { detail: phoneInReference });
  }

  /** What an earlier request came to; undefined where there is none. */
  async current(caller: Caller, reference: string): Promise<RequestedPayout | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (state.status === 'none' || position === undefined) return undefined;
    return { view: payoutViewOf(state), position, existing: state.request };
  }

  /** The fields of the request, by their names on the wire, that are not those of the payout with its reference. */
  differences(
    dto: CreateCollectionDto,
    caller: Caller,
    existing: NonNullable<RequestedPayout['existing']>,
  ): readonly string[] {
    const { phoneHmac } = this.phones.tracesOf(dto.phone);
    return namedDifferences(existing, { ...detailsOf(dto, caller), phoneHmac });
  }

  decide(
    call: DecisionCall,
    { metadata }: SealedRequest,
  ): Promise<Result<DecidedPayout, DecisionRefusal>> {
    const { caller, reference, verdict, dto } = call;
    const { merchantId, mode, holder } = caller.credential;
    const decision = {
      verdict,
      holder,
      ...(dto.amount_minor === undefined ? {} : { amountMinor: BigInt(dto.amount_minor) }),
      ...(dto.phone === undefined ? {} : { phoneHmac: this.phones.tracesOf(dto.phone).phoneHmac }),
    };
    return this.commands.execute(
      new DecidePayout({ merchantId, mode, reference }, decision, metadata),
    );
  }

  /** The payout, where the caller's holder has decided it so before. */
  async decided({ caller, reference, verdict }: DecisionCall): Promise<DecidedPayout | undefined> {
    const { state, position } = await this.find(caller, reference);
    const { holder } = caller.credential;
    if (state.status === 'none' || position === undefined) return undefined;
    return isDecidedBy({ verdict, holder }, state)
      ? { view: payoutViewOf(state), position }
      : undefined;
  }
}

interface DecisionCall {
  readonly caller: Caller;
  readonly reference: string;
  readonly verdict: 'approve' | 'reject';
  readonly dto: DecidePayoutDto;
}

function detailsOf(dto: CreateCollectionDto, { credential }: Caller): PayoutDetails {
  const { account, amount } = dto.terms;
  if (!account || !amount.ok)
    throw new TypeError('a payout without its terms got past its validation');
  const { phone, channel, reference } = dto;
  const { holder } = credential;
  return { account, phone, amountMinor: amount.value, channel, reference, holder };
}

@Controller('api/v4/payouts')
@V4Authenticated()
export class PayoutsController {
  constructor(
    private readonly payouts: PayoutCalls,
    private readonly idempotency: Idempotency,
    private readonly minPosition: MinPosition,
  ) {}

  @Post()
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'requestPayout',
    tag: 'Payouts',
    summary: 'Ask for money to be paid to a customer',
    description:
      'Records the payout and reserves its amount and its fee, which comes on top. Nothing is sent before a credential of another holder approves it. **Where the reference exists already, the answer is 202 with that payout’s current state, whatever the body asks for now**: `X-PP-Existing: true` says so, and `X-PP-Differs` names the fields of your request that are not that payout’s. References of payouts and of collections are separate.',
    answer: {
      description: 'Reserved; or the current state of the payout that has this reference.',
      shape: payoutResponse,
      example: payoutExample,
      headers: {
        ...logHeaders,
        'Idempotent-Replayed': 'sometimes',
        'X-PP-Existing': 'sometimes',
        'X-PP-Differs': 'sometimes',
      },
    },
    refusals: [
      errors.destination_not_allowed,
      errors.limit_exceeded,
      errors.insufficient_funds,
      errors.idempotency_in_progress,
      errors.idempotency_key_reused,
    ],
  })
  async request(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(CreateCollectionDto, PayoutTermsSource)) dto: CreateCollectionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Req() request: FastifyRequest,
  ): Promise<PayoutResponse> {
    noteRequest(request, { reference: dto.reference });
    await this.minPosition.check(caller);
    await this.payouts.requireFitReference(dto, caller);
    const { reference, phone, amount_minor, currency, channel, account_no } = dto;
    const sealed = this.payouts.seal(dto, caller, request);
    const call = {
      caller,
      message: sealed.message,
      route: 'POST /api/v4/payouts',
      reference,
      fields: [account_no, phone, amount_minor, currency, channel, reference],
    };
    const result = await this.idempotency.once(call, {
      current: () => this.payouts.current(caller, reference),
      run: () => this.payouts.request(dto, caller, sealed),
      leftNothing: (outcome) => !outcome.ok || outcome.value.existing !== undefined,
    });
    return answer(result, ({ value, replayed }) => {
      showPosition(reply, value.position);
      if (replayed) void reply.header('Idempotent-Replayed', 'true');
      if (value.existing)
        showExisting(reply, this.payouts.differences(dto, caller, value.existing));
      return toResponse(value.view);
    });
  }

  @Post(':reference/approve')
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'approvePayout',
    tag: 'Payouts',
    summary: 'Approve a payout that another holder asked for',
    description:
      'The body may be `{}`, or repeat `phone` and `amount_minor`: what is repeated must be the payout’s. The same approval by the same holder again answers the current state.',
    path: referenceInPath('PAY-1001'),
    answer: {
      description: 'Approved: the payout is `pending`, and is sent once.',
      shape: payoutResponse,
      example: { ...payoutExample, status: 'pending' },
      headers: { ...logHeaders, 'Idempotent-Replayed': 'sometimes' },
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
    summary: 'Reject a payout that another holder asked for',
    description: 'Gives back what is reserved; nothing is ever sent. The body as for an approval.',
    path: referenceInPath('PAY-1001'),
    answer: {
      description: 'Rejected.',
      shape: payoutResponse,
      example: { ...payoutExample, status: 'rejected' },
      headers: { ...logHeaders, 'Idempotent-Replayed': 'sometimes' },
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

  private async decide(call: DecisionCall, reply: FastifyReply): Promise<PayoutResponse> {
    const { caller, reference, verdict, dto } = call;
    if (!payoutReferencePattern.test(reference)) throw problem('not_found');
    noteRequest(reply.request, { reference });
    await this.minPosition.check(caller);
    const { phone } = dto;
    const about = { reference, ...(phone === undefined ? {} : { phone }) };
    const sealed = this.payouts.seal(about, caller, reply.request);
    const keyed = {
      caller,
      message: sealed.message,
      route: `POST /api/v4/payouts/{reference}/${verdict}`,
      reference,
      fields: [reference, dto.phone ?? '', dto.amount_minor ?? ''],
    };
    const result = await this.idempotency.once(keyed, {
      current: () => this.payouts.decided(call),
      run: async () => refusalOnWire(await this.payouts.decide(call, sealed)),
      leftNothing: (outcome) => !outcome.ok || outcome.value.isRepeated === true,
    });
    return answer(result, ({ value, replayed }) => {
      showPosition(reply, value.position);
      if (replayed) void reply.header('Idempotent-Replayed', 'true');
      return toResponse(value.view);
    });
  }

  @Get(':reference')
  @Documented({
    operationId: 'findPayout',
    tag: 'Payouts',
    summary: 'One payout, as it stands',
    description: 'Folded from the log itself, so never behind. The item is that of the list.',
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
    return item;
  }
}

const decisionCodes = {
  unknown_payout: 'not_found',
  same_holder: 'same_holder',
  unbound_holder: 'same_holder',
  amount_differs: 'invalid_amount',
  phone_differs: 'invalid_phone',
  not_pending_approval: 'not_pending_approval',
} as const satisfies Record<DecisionRefusal, Refusal>;

function refusalOnWire(
  result: Result<DecidedPayout, DecisionRefusal>,
): Result<DecidedPayout, (typeof decisionCodes)[DecisionRefusal]> {
  return result.ok ? ok(result.value) : refuse(decisionCodes[result.refusal]);
}

function toResponse(view: PayoutView): PayoutResponse {
  return {
    status: view.status,
    reference: view.reference,
    rail_reference: view.railReference ?? null,
    amount_minor: view.amountMinor,
    currency: view.currency,
  };
}
