import {
  type Initiated,
  type Intent,
  isNewlyRecorded,
  listedReferencePattern,
} from '#domain/collections';
import { noteRequest } from '#shared/http';
import { Documented } from '#shared/openapi';
import { transactionFrom, type TransactionItem } from '#views/transactions';
import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { ByCaller, type Caller, MoneyMovement } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { answer, errors, problem } from '../errors.js';
import { recordingHeaders } from '../idempotency/answer-headers.js';
import { MoneyCalls } from '../idempotency/money-calls.js';
import { logHeaders, MinPosition, showPosition } from '../ledger-position.js';
import {
  collectionExample,
  collectionResponse,
  type CollectionResponse,
  transactionExample,
  transactionItem,
} from '../transactions/transaction-shapes.js';
import { validatedAgainst } from '../validation/validated.js';
import { CollectionCalls } from './collection-calls.js';
import { CollectionTermsSource, CreateCollectionDto } from './create-collection.dto.js';
import { type Receipt, receipt, receiptExample, Receipts } from './receipt.js';

/** Documents the path's parameter, for the calls about a collection. */
export const referenceInPath = {
  description: 'Percent-encode characters that a path segment cannot contain, such as `/`.',
  example: 'INV-1001',
  schema: { type: 'string', pattern: listedReferencePattern.source },
} as const;

@Controller('api/v4/collections')
@V4Authenticated()
export class CollectionsController {
  constructor(
    private readonly collections: CollectionCalls,
    private readonly moneyCalls: MoneyCalls,
    private readonly minPosition: MinPosition,
    private readonly receipts: Receipts,
  ) {}

  @Post()
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'createCollection',
    tag: 'Collections',
    summary: 'Create a collection: a push asks the customer to pay',
    description:
      'Records the intent, then sends one push to the rail. No money is posted before the rail confirms. **If the reference exists already, the answer is 202 with the current state of that collection, whatever the body says, and nothing is pushed.** Such an answer has `X-PP-Existing: true`, and `X-PP-Differs` names the fields of your request that differ from the collection’s. **Check both headers before you ship on `completed`.** The same key with the same fields returns the current state with `Idempotent-Replayed: true`. The same key with other fields is 422.',
    answer: {
      description:
        'The recorded collection, or the current state of the one that has this reference.',
      shape: collectionResponse,
      example: collectionExample,
      headers: recordingHeaders,
    },
    refusals: [errors.idempotency_in_progress, errors.idempotency_key_reused, errors.rail_rejected],
  })
  async create(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(CreateCollectionDto, CollectionTermsSource)) dto: CreateCollectionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CollectionResponse> {
    const { reference, phone, amount_minor, currency, channel, account_no } = dto;
    const result = await this.moneyCalls.once({
      caller,
      reply,
      route: 'POST /api/v4/collections',
      reference,
      fields: [account_no, phone, amount_minor, currency, channel, reference],
      require: () => this.collections.requireFitReference(dto, caller),
      seal: () => this.collections.seal(dto, caller, reply.request),
      current: () => this.collections.current(caller, reference),
      run: (sealed) => this.collections.initiate(dto, sealed),
      recordedNothing: (outcome) => !isNewlyRecorded(outcome),
      differences: (existing: Intent) => this.collections.differences(dto, existing),
    });
    // A refused push is recorded, but the refusal has no position.
    if (!result.ok && result.refusal === 'rail_rejected')
      showPosition(reply, await this.collections.positionOf(caller, reference));
    return answer(result, toResponse);
  }

  @Get(':reference')
  @Documented({
    operationId: 'findCollection',
    tag: 'Collections',
    summary: 'Retrieve a collection',
    description:
      'Returns the same item as the list. It is read from the log itself, so it is always up to date.',
    path: { reference: referenceInPath },
    answer: {
      description: 'The collection.',
      shape: transactionItem,
      example: transactionExample,
      headers: logHeaders,
    },
    refusals: [errors.not_found],
  })
  async find(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransactionItem> {
    const { item } = await this.found(caller, reference, reply);
    return item;
  }

  @Get(':reference/receipt')
  @Documented({
    operationId: 'findCollectionReceipt',
    tag: 'Collections',
    summary: 'A receipt that can be checked without trusting the service',
    description:
      'Returns the collection, the facts that its postings commit to, their links in the accounts’ chains, and a proof that the newest signed head of the history contains them. Each day is sealed a few minutes after it ends. Until then `proof` is `null`, and `sealed_by` is the expected time. Keep the receipt: `verifier/verify.mjs` checks it offline or in a browser. The receipt does not show later corrections.',
    path: { reference: referenceInPath },
    answer: {
      description: 'The receipt. It has no postings until money is posted.',
      shape: receipt,
      example: receiptExample,
      headers: logHeaders,
    },
    refusals: [errors.not_found],
  })
  async findReceipt(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Receipt> {
    const { events, item } = await this.found(caller, reference, reply);
    return this.receipts.of(events, item);
  }

  /** @throws Problem invalid_position, not_found; DependencyUnavailable */
  private async found(caller: Caller, reference: string, reply: FastifyReply) {
    await this.minPosition.check(caller);
    noteRequest(reply.request, { reference });
    // A path that cannot be a reference causes no read of the store.
    if (!listedReferencePattern.test(reference)) throw problem('not_found');
    const { events, position } = await this.collections.find(caller, reference);
    const item = transactionFrom(events);
    if (!item) throw problem('not_found');
    showPosition(reply, position);
    return { events, item };
  }
}

function toResponse({ view }: Initiated): CollectionResponse {
  return {
    status: view.status,
    reference: view.reference,
    rail_reference: view.railReference ?? null,
    amount_minor: view.amountMinor,
    currency: view.currency,
  };
}
