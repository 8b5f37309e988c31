import { referenceHoldsPhone } from '#domain/collections';
import { renameRefusal, type Result } from '#domain/kernel';
import {
  CancelPayout,
  type CancelRefusal,
  type DecidedPayout,
  type DecisionRefusal,
  DecidePayout,
  FindPayout,
  type FoundPayout,
  isCancelled,
  isDecidedBy,
  type PayoutDetails,
  PayoutPhones,
  payoutViewOf,
  payoutStream,
  type RequestedPayout,
  RequestPayout,
  type RequestPayoutRefusal,
} from '#domain/payouts';
import { bodyBytes, RequestSeal, type SealedRequest } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '../authentication/caller.js';
import { namedDifferences, phoneInReference } from '../collections/collection-calls.js';
import { problem, type Refusal } from '../errors.js';
import { type Round } from '../idempotency/idempotency.js';
import { type DecidePayoutDto, type RequestPayoutDto } from './payout.dto.js';

/** Sends this edge's commands and queries about payouts for a caller. */
@Injectable()
export class PayoutCalls {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly requests: RequestSeal,
    private readonly phones: PayoutPhones,
  ) {}

  /** Seals the request as evidence. */
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

  async request(
    dto: RequestPayoutDto,
    caller: Caller,
    { metadata }: SealedRequest,
  ): Promise<Result<RequestedPayout, RequestCode>> {
    const command = new RequestPayout(detailsOf(dto, caller), metadata);
    return renameRefusal(await this.commands.execute(command), requestCodes);
  }

  /** Returns the caller's payout with this reference, in the credential's mode. */
  find({ credential: { merchantId, mode } }: Caller, reference: string): Promise<FoundPayout> {
    return this.queries.execute(new FindPayout({ merchantId, mode, reference }));
  }

  /**
   * Refuses a new reference that contains the customer's number, before anything is claimed or recorded.
   * @throws Problem invalid_reference; DependencyUnavailable
   */
  async requireFitReference(
    { reference, phone }: Pick<RequestPayoutDto, 'reference' | 'phone'>,
    caller: Caller,
  ): Promise<void> {
    if (!referenceHoldsPhone(reference, phone)) return;
    const { state } = await this.find(caller, reference);
    if (state.status === 'none') throw problem('invalid_reference', { detail: phoneInReference });
  }

  /** Returns the result of an earlier request, or undefined if there is none. */
  async current(caller: Caller, reference: string): Promise<RequestedPayout | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (state.status === 'none' || position === undefined) return undefined;
    return { view: payoutViewOf(state), position, existing: state.request };
  }

  /** Returns the request's fields, by their wire names, that differ from the payout with its reference. */
  differences(
    dto: RequestPayoutDto,
    caller: Caller,
    existing: NonNullable<RequestedPayout['existing']>,
  ): readonly string[] {
    const { phoneHmac } = this.phones.tracesOf(dto.phone);
    return namedDifferences(existing, { ...detailsOf(dto, caller), phoneHmac });
  }

  async decide(
    call: PayoutDecisionCall,
    { metadata }: SealedRequest,
    expiries?: number,
  ): Promise<Result<DecidedPayout, DecisionCode>> {
    const { caller, reference, verdict, dto } = call;
    const { merchantId, mode, holder } = caller.credential;
    const decision = {
      verdict,
      holder,
      ...(dto.amount_minor === undefined ? {} : { amountMinor: BigInt(dto.amount_minor) }),
      ...(dto.phone === undefined ? {} : { phoneHmac: this.phones.tracesOf(dto.phone).phoneHmac }),
      ...(expiries === undefined ? {} : { expiries }),
    };
    const command = new DecidePayout({ merchantId, mode, reference }, decision, metadata);
    return renameRefusal(await this.commands.execute(command), decisionCodes);
  }

  async cancel(
    caller: Caller,
    reference: string,
    { metadata }: SealedRequest,
  ): Promise<Result<DecidedPayout, (typeof cancelCodes)[CancelRefusal]>> {
    const { merchantId, mode, holder } = caller.credential;
    const command = new CancelPayout({ merchantId, mode, reference }, holder, metadata);
    return renameRefusal(await this.commands.execute(command), cancelCodes);
  }

  /** Returns the payout if it is cancelled already. */
  async cancelled(caller: Caller, reference: string): Promise<DecidedPayout | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (!isCancelled(state) || position === undefined) return undefined;
    return { view: payoutViewOf(state), position };
  }

  /** Returns the payout, which has a new round of decisions after each approval that expired (PAY-65). */
  async round(caller: Caller, reference: string): Promise<Round<DecidedPayout> | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (state.status === 'none' || position === undefined) return undefined;
    return { number: state.expiries, value: { view: payoutViewOf(state), position } };
  }

  /** Returns the payout if the caller's holder has made the same decision before. */
  async decided({
    caller,
    reference,
    verdict,
  }: PayoutDecisionCall): Promise<DecidedPayout | undefined> {
    const { state, position } = await this.find(caller, reference);
    const { holder } = caller.credential;
    if (state.status === 'none' || position === undefined) return undefined;
    return isDecidedBy({ verdict, holder }, state)
      ? { view: payoutViewOf(state), position }
      : undefined;
  }
}

/** An approval or a rejection of a payout. */
export interface PayoutDecisionCall {
  readonly caller: Caller;
  readonly reference: string;
  readonly verdict: 'approve' | 'reject';
  readonly dto: DecidePayoutDto;
}

function detailsOf(dto: RequestPayoutDto, { credential }: Caller): PayoutDetails {
  const { phone, channel, reference } = dto;
  const { holder } = credential;
  return { ...dto.terms.validated(), phone, channel, reference, holder };
}

const cancelCodes = {
  unknown_payout: 'not_found',
  not_cancellable: 'not_cancellable',
} as const satisfies Record<CancelRefusal, Refusal>;

export const requestCodes = {
  destination_not_allowed: 'destination_not_allowed',
  limit_exceeded: 'limit_exceeded',
  insufficient_funds: 'insufficient_funds',
  unbound_holder: 'same_holder',
  role_lost: 'same_holder',
} as const satisfies Record<RequestPayoutRefusal, Refusal>;

type RequestCode = (typeof requestCodes)[RequestPayoutRefusal];

const decisionCodes = {
  unknown_payout: 'not_found',
  same_holder: 'same_holder',
  unbound_holder: 'same_holder',
  role_lost: 'same_holder',
  amount_differs: 'invalid_amount',
  phone_differs: 'invalid_phone',
  destination_not_allowed: 'destination_not_allowed',
  limit_exceeded: 'limit_exceeded',
  not_pending_approval: 'not_pending_approval',
} as const satisfies Record<DecisionRefusal, Refusal>;

type DecisionCode = (typeof decisionCodes)[DecisionRefusal];
