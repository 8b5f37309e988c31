import { decimalFromMinor } from '#domain/kernel';
import { Controller, HttpCode, Injectable, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  type CollectionDetails,
  collectionStream,
  type CollectionView,
  InitiateCollection,
  isNewlyRecorded,
  PhoneVault,
  referenceHoldsPhone,
} from '#domain/collections';
import {
  bodyBytes,
  RetainedRequests,
  noteRequest,
  RequestSeal,
  type SealedRequest,
} from '#shared/http';
import { V3Gate } from '#edges/v3-gate';
import { RedisStore } from '#infra/redis';
import { type FastifyRequest } from 'fastify';
import { ByCaller, type Caller, V3Authenticated } from '../authentication/v3.guard.js';
import { modeOfMembers } from '../members.js';
import { prefixes } from '../api-v3.options.js';
import { collectionOf, CollectTerms, membersOfRequest, signedTextOf } from './collect-request.js';

/** V3's own shape, with its members in this order. */
interface CollectResponse {
  readonly status: CollectionView['status'];
  readonly ref: string;
  /** The rail's identifier of the push; null if it is not known. */
  readonly transactionId: string | null;
  readonly amount: string;
  readonly currency: string;
}

/** Carries out collections, on bytes that are durable before. */
@Injectable()
export class Collecting {
  constructor(
    private readonly commands: CommandBus,
    private readonly seal: RequestSeal,
    private readonly requests: RetainedRequests,
    private readonly phones: PhoneVault,
  ) {}

  initiate(details: CollectionDetails, caller: Caller, request: FastifyRequest) {
    const sealed = this.sealed(details, caller, request);
    const command = new InitiateCollection(details, sealed.metadata);
    return this.requests.carryOut(
      sealed,
      () => this.commands.execute(command),
      (outcome) => !isNewlyRecorded(outcome),
    );
  }

  private sealed(
    { account, reference, phone }: CollectionDetails,
    caller: Caller,
    request: FastifyRequest,
  ): SealedRequest {
    return this.seal.seal(caller, {
      stream: collectionStream({ ...account, reference }),
      phoneHmac: this.phones.tracesOf(phone).phoneHmac,
      bytes: bodyBytes(request),
    });
  }
}

@Controller(prefixes)
export class CollectController {
  constructor(
    private readonly collecting: Collecting,
    private readonly terms: CollectTerms,
    private readonly gate: V3Gate,
    private readonly redis: RedisStore,
  ) {}

  /**
   * Starts a collection. A `ref` that exists answers with its current state, whatever the valid body says, and no new
   * push is made.
   */
  @Post('collect/mpesa')
  @HttpCode(200)
  @V3Authenticated((request) => signedTextOf(membersOfRequest(request)))
  async collect(
    @ByCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CollectResponse> {
    const members = membersOfRequest(request);
    // The mode comes first, because it decides in which data the account is looked up.
    const mode = modeOfMembers(members);
    const { merchantId } = caller.credential;
    const terms = await this.terms.find(merchantId, mode, members.get('accountNumber'));
    const details = collectionOf(members, terms);
    noteRequest(request, { mode, reference: details.reference });
    // If Redis is away, nothing is recorded: the push would find no token (V3-16).
    await this.redis.requireWritable();
    const result = await this.collecting.initiate(details, caller, request);
    if (isNewlyRecorded(result) && referenceHoldsPhone(details.reference, details.phone))
      this.gate.notePhoneReference(merchantId);
    return result.ok ? toResponse(result.value.view) : refusedPush(details);
  }
}

function toResponse(view: CollectionView): CollectResponse {
  return {
    status: view.status,
    ref: view.reference,
    transactionId: view.railReference ?? null,
    amount: decimalFromMinor(view.amountMinor),
    currency: view.currency,
  };
}

/**
 * Answers a refused push. The collection is recorded as failed, and V3 reports this as a status in its own shape, not
 * as an error.
 */
function refusedPush({ reference, amountMinor, account }: CollectionDetails): CollectResponse {
  return {
    status: 'failed',
    ref: reference,
    transactionId: null,
    amount: decimalFromMinor(amountMinor),
    currency: account.currency,
  };
}
