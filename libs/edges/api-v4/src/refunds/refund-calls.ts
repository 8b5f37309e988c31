import { type Result } from '#domain/kernel';
import {
  PayoutPhones,
  PayoutRail,
  type PayoutRequest,
  type RefundDetails,
  type RequestedPayout,
  RequestRefund,
  type RequestRefundRefusal,
} from '#domain/payouts';
import { type Problem, type SealedRequest } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller } from '../authentication/caller.js';
import { phoneInReference } from '../collections/collection-calls.js';
import { problem, type Refusal } from '../errors.js';
import { requestCodes } from '../payouts/payout-calls.js';
import { type RequestRefundDto } from './refund.dto.js';

/** A refund as the caller asks for it. */
export interface RefundCall {
  readonly caller: Caller;
  /** The reference of the collection. */
  readonly collection: string;
  readonly dto: RequestRefundDto;
}

/** Sends this edge's commands about refunds for a caller. */
@Injectable()
export class RefundCalls {
  constructor(
    private readonly commands: CommandBus,
    private readonly rail: PayoutRail,
    private readonly phones: PayoutPhones,
  ) {}

  /** @throws DependencyUnavailable if the collection's rail pays nothing out in the mode */
  request(
    call: RefundCall,
    { metadata }: SealedRequest,
  ): Promise<Result<RequestedPayout, RequestRefundRefusal>> {
    const { mode } = call.caller.credential;
    const railOf = (channel: string) => {
      const limits = this.rail.payoutLimits(channel, mode);
      return limits && { limits, reverses: this.rail.reverses(channel, mode) };
    };
    return this.commands.execute(new RequestRefund(detailsOf(call), railOf, metadata));
  }

  /** Returns the request's fields, by their wire names, that differ from the payout with its reference. */
  differences({ collection, dto }: RefundCall, existing: PayoutRequest): readonly string[] {
    const { phone, amount_minor: amount } = dto;
    return [
      ...(existing.refund?.reference === collection ? [] : ['collection']),
      ...(phone !== undefined && this.phones.tracesOf(phone).phoneHmac !== existing.phoneHmac
        ? ['phone']
        : []),
      ...(amount !== undefined && BigInt(amount) !== existing.amountMinor ? ['amount_minor'] : []),
    ];
  }
}

function detailsOf({ caller, collection, dto }: RefundCall): RefundDetails {
  const { merchantId, mode, holder } = caller.credential;
  const { reference, phone, amount_minor: amount } = dto;
  return {
    mode,
    merchantId,
    collection,
    reference,
    holder,
    ...(phone === undefined ? {} : { phone }),
    ...(amount === undefined ? {} : { amountMinor: BigInt(amount) }),
  };
}

/** The error of each refusal, and its detail if a field of the body has to change. */
const problems: Readonly<Record<RequestRefundRefusal, readonly [Refusal, detail?: string]>> = {
  unknown_collection: ['not_found'],
  not_refundable: ['not_refundable'],
  exceeds: ['invalid_amount', 'amount_minor must not exceed what is left of the collection.'],
  invalid_amount: [
    'invalid_amount',
    'amount_minor must be an amount that the rail sends to a number.',
  ],
  only_whole: [
    'invalid_amount',
    'amount_minor must be absent or the whole amount: the rail hides the number that paid.',
  ],
  phone_needed: [
    'invalid_phone',
    'phone must be the number that paid: the rail does not reverse this amount.',
  ],
  phone_differs: ['invalid_phone', 'phone must be the number that paid.'],
  phone_in_reference: ['invalid_reference', phoneInReference],
  destination_not_allowed: [requestCodes.destination_not_allowed],
  limit_exceeded: [requestCodes.limit_exceeded],
  insufficient_funds: [requestCodes.insufficient_funds],
  unbound_holder: [requestCodes.unbound_holder],
  role_lost: [requestCodes.role_lost],
};

/** Returns the problem that answers a refused refund. */
export function refundProblem(
  refusal: RequestRefundRefusal | 'idempotency_in_progress' | 'idempotency_key_reused',
): Problem {
  if (refusal === 'idempotency_in_progress' || refusal === 'idempotency_key_reused')
    return problem(refusal);
  const [code, detail] = problems[refusal];
  return problem(code, detail === undefined ? {} : { detail });
}
