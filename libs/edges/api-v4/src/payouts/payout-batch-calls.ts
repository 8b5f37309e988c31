import { refuse, renameRefusal, type Result } from '#domain/kernel';
import {
  type BatchCancelRefusal,
  BatchesAtWork,
  type BatchDecisionRefusal,
  CancelPayoutBatch,
  type DecidedPayoutBatch,
  DecidePayoutBatch,
  FindPayoutBatch,
  isBatchCancelled,
  isBatchDecidedBy,
  MatchBatchItems,
  type PayoutBatchDetails,
  type PayoutBatchRequest,
  payoutBatchStream,
  payoutBatchViewOf,
  PayoutPhones,
  payoutStream,
  type RequestedPayoutBatch,
  RequestPayoutBatch,
  type RequestPayoutBatchRefusal,
} from '#domain/payouts';
import { bodyBytes, RequestSeal, type SealedRequest } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '../authentication/caller.js';
import { type Refusal } from '../errors.js';
import {
  type DecidePayoutBatchDto,
  itemsOf,
  type RequestPayoutBatchDto,
} from './payout-batch.dto.js';

/**
 * Twice the number that a process works on, so that a call that is still being read does not keep one from starting.
 */
const maxAtOnce = { all: 16, ofOne: 4 };

/** Sends this edge's commands and queries about batches for a caller. */
@Injectable()
export class PayoutBatchCalls {
  /**
   * Calls that ask for batches. Each has up to a thousand payouts to be read, sealed and stored before the work starts.
   * One merchant's calls must not take up the whole process.
   */
  readonly underWay = new BatchesAtWork(maxAtOnce);

  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly requests: RequestSeal,
    private readonly phones: PayoutPhones,
  ) {}

  /** Seals the request as evidence. */
  seal(
    { reference, items = [] }: Pick<PayoutBatchDetails, 'reference'> & Partial<PayoutBatchDetails>,
    caller: Caller,
    request: FastifyRequest,
  ): SealedRequest {
    const { merchantId, mode } = caller.credential;
    return this.requests.seal(caller, {
      stream: payoutBatchStream({ merchantId, mode, reference }),
      bytes: bodyBytes(request),
      items: items.map((item) => ({
        stream: payoutStream({ merchantId, mode, reference: item.reference }),
        phoneHmac: this.phones.tracesOf(item.phone).phoneHmac,
      })),
    });
  }

  request(
    details: PayoutBatchDetails,
    { metadata }: SealedRequest,
  ): Promise<Result<RequestedPayoutBatch, RequestPayoutBatchRefusal>> {
    return this.commands.execute(new RequestPayoutBatch(details, metadata));
  }

  /** Returns the caller's batch with this reference, in the credential's mode. */
  find({ credential: { merchantId, mode } }: Caller, reference: string) {
    return this.queries.execute(new FindPayoutBatch({ merchantId, mode, reference }));
  }

  /** Returns the result of an earlier request, or undefined if there is none. */
  async current(caller: Caller, reference: string): Promise<RequestedPayoutBatch | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (state.status === 'none' || position === undefined) return undefined;
    return { view: payoutBatchViewOf(state), position, existing: state.request };
  }

  /** Returns the request's fields, by their wire names, that differ from the batch with its reference. */
  async differences(
    { account, channel, items }: PayoutBatchDetails,
    existing: PayoutBatchRequest,
  ): Promise<readonly string[]> {
    const differs = {
      account_no: account.accountNo !== existing.accountNo,
      currency: account.currency !== existing.currency,
      channel: channel !== existing.channel,
      items: !(await this.queries.execute(new MatchBatchItems(existing, items))),
    };
    return Object.entries(differs).flatMap(([field, is]) => (is ? [field] : []));
  }

  async decide(
    call: BatchDecisionCall,
    { metadata }: SealedRequest,
  ): Promise<Result<DecidedPayoutBatch, DecisionCode>> {
    const { caller, reference, verdict, dto } = call;
    const { merchantId, mode, holder } = caller.credential;
    const decision = {
      verdict,
      holder,
      ...(dto.count === undefined ? {} : { count: dto.count }),
      ...(dto.amount_minor === undefined ? {} : { amountMinor: BigInt(dto.amount_minor) }),
    };
    const command = new DecidePayoutBatch({ merchantId, mode, reference }, decision, metadata);
    return renameRefusal(await this.commands.execute(command), decisionCodes);
  }

  async cancel(
    caller: Caller,
    reference: string,
    { metadata }: SealedRequest,
  ): Promise<Result<DecidedPayoutBatch, (typeof cancelCodes)[BatchCancelRefusal['code']]>> {
    const { merchantId, mode, holder } = caller.credential;
    const command = new CancelPayoutBatch({ merchantId, mode, reference }, holder, metadata);
    const done = await this.commands.execute(command);
    return done.ok ? done : refuse(cancelCodes[done.refusal.code]);
  }

  /** Returns the batch if it is cancelled already. */
  async cancelled(caller: Caller, reference: string): Promise<DecidedPayoutBatch | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (!isBatchCancelled(state) || position === undefined) return undefined;
    return { view: payoutBatchViewOf(state), position };
  }

  /** Returns the batch if the caller's holder has made the same decision before. */
  async decided({
    caller,
    reference,
    verdict,
  }: BatchDecisionCall): Promise<DecidedPayoutBatch | undefined> {
    const { state, position } = await this.find(caller, reference);
    const { holder } = caller.credential;
    if (state.status === 'none' || position === undefined) return undefined;
    return isBatchDecidedBy({ verdict, holder }, state)
      ? { view: payoutBatchViewOf(state), position }
      : undefined;
  }
}

/** An approval or a rejection of a batch. */
export interface BatchDecisionCall {
  readonly caller: Caller;
  readonly reference: string;
  readonly verdict: 'approve' | 'reject';
  readonly dto: DecidePayoutBatchDto;
}

export function detailsOf(dto: RequestPayoutBatchDto, { credential }: Caller): PayoutBatchDetails {
  const { account } = dto.terms;
  if (!account) throw new TypeError('a batch without its terms got past its validation');
  const { reference, channel } = dto;
  return { account, channel, reference, items: itemsOf(dto), holder: credential.holder };
}

const cancelCodes = {
  unknown_batch: 'not_found',
  not_cancellable: 'not_cancellable',
} as const satisfies Record<BatchCancelRefusal['code'], Refusal>;

const decisionCodes = {
  unknown_batch: 'not_found',
  same_holder: 'same_holder',
  unbound_holder: 'same_holder',
  role_lost: 'same_holder',
  count_differs: 'invalid_request',
  amount_differs: 'invalid_amount',
  destination_not_allowed: 'destination_not_allowed',
  limit_exceeded: 'limit_exceeded',
  not_pending_approval: 'not_pending_approval',
} as const satisfies Record<BatchDecisionRefusal, Refusal>;

type DecisionCode = (typeof decisionCodes)[BatchDecisionRefusal];
