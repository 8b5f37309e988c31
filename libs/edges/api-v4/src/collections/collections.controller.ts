import { bodyBytes, noteRequest, RequestSeal, type SealedRequest } from '#shared/http';
import { Body, Controller, Get, HttpCode, Injectable, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type CollectionDetails,
  collectionStream,
  differencesFrom,
  FindCollection,
  type FoundCollection,
  InitiateCollection,
  type Initiated,
  type InitiateRefusal,
  type Intent,
  isNewlyRecorded,
  listedReferencePattern,
  PhoneVault,
  referenceHoldsPhone,
  viewOf,
} from '#domain/collections';
import { type Position } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { ByCaller, type Caller, MoneyMovement } from '../authentication/caller.js';
import { answer, errors, problem } from '../errors.js';
import { Idempotency, type Once } from '../idempotency/idempotency.js';
import { type Receipt, receipt, receiptExample, Receipts } from './receipt.js';
import { CollectionTermsSource, CreateCollectionDto } from './create-collection.dto.js';
import {
  collectionExample,
  collectionResponse,
  type CollectionResponse,
  transactionExample,
  transactionItem,
} from '../transactions/transaction-shapes.js';
import { Documented } from '#shared/openapi';
import { transactionFrom, type TransactionItem } from '#views/transactions';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { logHeaders, MinPosition, showPosition } from '../ledger-position.js';
import { validatedAgainst } from '../validation/validated.js';

/** What a refused reference is told: it would stand in a stream's name for ever. */
export const phoneInReference = 'reference must not contain the customer’s phone number.';

/** What this edge asks the collections for, in a caller's name. */
@Injectable()
export class CollectionCalls {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly requests: RequestSeal,
    private readonly phones: PhoneVault,
  ) {}

  /** The request as evidence of what it asks for. */
  seal(dto: CreateCollectionDto, caller: Caller, request: FastifyRequest): SealedRequest {
    const { merchantId, mode } = caller.credential;
    const { reference, phone } = dto;
    return this.requests.seal(caller, {
      stream: collectionStream({ merchantId, mode, reference }),
      phoneHmac: this.phones.tracesOf(phone).phoneHmac,
      bytes: bodyBytes(request),
    });
  }

  initiate(
    dto: CreateCollectionDto,
    { metadata }: SealedRequest,
  ): Promise<Result<Initiated, InitiateRefusal>> {
    return this.commands.execute(new InitiateCollection(detailsOf(dto), metadata));
  }

  /** The fields of the request, by their names on the wire, that are not those of the collection with its reference. */
  differences(dto: CreateCollectionDto, existing: Intent): readonly string[] {
    const details = detailsOf(dto);
    const { phoneHmac } = this.phones.tracesOf(details.phone);
    return namedDifferences(existing, { ...details, phoneHmac });
  }

  /**
   * A new reference that holds the customer's number is refused before anything is claimed or recorded; one that
   * exists is answered as ever.
   * @throws Problem invalid_reference; DependencyUnavailable
   */
  async requireFitReference({ reference, phone }: CreateCollectionDto, caller: Caller) {
    if (!referenceHoldsPhone(reference, phone)) return;
    const { state } = await this.find(caller, reference);
    if (state.status === 'none') throw problem('invalid_reference', { detail: phoneInReference });
  }

  /** The caller's collection of this reference, in the mode of the credential. */
  find({ credential: { merchantId, mode } }: Caller, reference: string): Promise<FoundCollection> {
    return this.queries.execute(new FindCollection({ merchantId, mode, reference }));
  }

  /** What an earlier create call came to; undefined where there is none. */
  async current(caller: Caller, reference: string): Promise<Initiated | undefined> {
    const { state, position } = await this.find(caller, reference);
    if (state.status === 'none' || position === undefined) return undefined;
    return { view: viewOf(state), position, existing: state.intent };
  }

  /** Where the log stands after a create call. A refused push was recorded, too: its refusal names no position. */
  async positionAfter(
    result: Result<Once<Initiated>, string>,
    caller: Caller,
    reference: string,
  ): Promise<Position | undefined> {
    if (result.ok) return result.value.value.position;
    if (result.refusal !== 'rail_rejected') return undefined;
    // Where the log cannot be read, the answer stands without its position.
    const found = await this.find(caller, reference).catch(() => undefined);
    return found?.position;
  }
}

const wireNames = {
  accountNo: 'account_no',
  phone: 'phone',
  amountMinor: 'amount_minor',
  currency: 'currency',
} as const satisfies Record<ReturnType<typeof differencesFrom>[number], keyof CreateCollectionDto>;

/** The fields, by their names on the wire, in which a request is not what has its reference. */
export function namedDifferences(...of: Parameters<typeof differencesFrom>): readonly string[] {
  return differencesFrom(...of).map((field) => wireNames[field]);
}

function detailsOf(dto: CreateCollectionDto): CollectionDetails {
  const { account, amount } = dto.terms;
  if (!account || !amount.ok)
    throw new TypeError('a collection without its terms got past its validation');
  const { phone, channel, reference } = dto;
  return {
    account,
    phone,
    amountMinor: amount.value,
    channel,
    reference,
    origin: 'v4',
  };
}

const referenceInPath = {
  description: 'Percent-encode what a path segment cannot hold, such as `/`.',
  example: 'INV-1001',
  schema: { type: 'string', pattern: listedReferencePattern.source },
} as const;

@Controller('api/v4/collections')
@V4Authenticated()
export class CollectionsController {
  constructor(
    private readonly collections: CollectionCalls,
    private readonly idempotency: Idempotency,
    private readonly minPosition: MinPosition,
    private readonly receipts: Receipts,
  ) {}

  @Post()
  @HttpCode(202)
  @MoneyMovement()
  @Documented({
    operationId: 'createCollection',
    tag: 'Collections',
    summary: 'Ask a customer to pay, by a push to their phone',
    description:
      'Records the intent, then pushes to the rail, once. No money is posted before the rail confirms. **Where the reference exists already, the answer is 202 with that collection’s current state, whatever the body asks for now, and nothing is pushed**: `X-PP-Existing: true` says so, and `X-PP-Differs` names the fields of your request that are not that collection’s. **Never ship on `completed` before you have looked at both.** The same key with the same fields answers the current state with `Idempotent-Replayed: true`; with other fields, 422.',
    answer: {
      description: 'Recorded; or the current state of the collection that has this reference.',
      shape: collectionResponse,
      example: collectionExample,
      headers: {
        ...logHeaders,
        'Idempotent-Replayed': 'sometimes',
        'X-PP-Existing': 'sometimes',
        'X-PP-Differs': 'sometimes',
      },
    },
    refusals: [errors.idempotency_in_progress, errors.idempotency_key_reused, errors.rail_rejected],
  })
  async create(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(CreateCollectionDto, CollectionTermsSource)) dto: CreateCollectionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Req() request: FastifyRequest,
  ): Promise<CollectionResponse> {
    noteRequest(request, { reference: dto.reference });
    await this.minPosition.check(caller);
    await this.collections.requireFitReference(dto, caller);
    const { reference, phone, amount_minor, currency, channel, account_no } = dto;
    const sealed = this.collections.seal(dto, caller, request);
    const call = {
      caller,
      message: sealed.message,
      route: 'POST /api/v4/collections',
      reference,
      fields: [account_no, phone, amount_minor, currency, channel, reference],
    };
    const result = await this.idempotency.once(call, {
      current: () => this.collections.current(caller, reference),
      run: () => this.collections.initiate(dto, sealed),
      leftNothing: (outcome) => !isNewlyRecorded(outcome),
    });
    showPosition(reply, await this.collections.positionAfter(result, caller, reference));
    return answer(result, ({ value, replayed }) => {
      if (replayed) void reply.header('Idempotent-Replayed', 'true');
      if (value.existing) showExisting(reply, this.collections.differences(dto, value.existing));
      return toResponse(value);
    });
  }

  @Get(':reference')
  @Documented({
    operationId: 'findCollection',
    tag: 'Collections',
    summary: 'One collection, as it stands',
    description: 'Folded from the log itself, so never behind. The item is that of the list.',
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
      'The collection, what its postings bind, their links in the accounts’ chains, and a proof that they stand in the newest signed head of all history. Each day is sealed a few minutes after its end: until then `proof` is `null` and `sealed_by` says when one is expected. Keep the receipt; `verifier/verify.mjs` checks it offline, in a browser too. A correction stands apart: what one took back later is not in the receipt.',
    path: { reference: referenceInPath },
    answer: {
      description: 'The receipt; without postings while no money was posted.',
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
    // What cannot be a reference names nothing; the store is not asked for whatever stands in a path.
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

/** Tells that the answer is about a collection that was there before, and in what the request is another. */
export function showExisting(reply: FastifyReply, differences: readonly string[]): void {
  void reply.header('X-PP-Existing', 'true');
  if (differences.length > 0) void reply.header('X-PP-Differs', differences.join(', '));
}
