import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { type CollectionView, type Initiated } from '#collections';
import { transactionFrom, type TransactionItem } from '#read-models';
import { type FastifyReply } from 'fastify';
import { ByCaller, type Caller, MoneyMovement } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { answer, problem } from '../errors.js';
import { Idempotency } from '../idempotency/idempotency.js';
import { showPosition } from '../ledger-headers.js';
import { MinPosition } from '../min-position.js';
import { validatedAgainst } from '../validation/validated.js';
import { CollectionCalls } from './collection-calls.js';
import { CollectionTermsSource } from './collection-terms.js';
import { CreateCollectionDto, referencePattern } from './create-collection.dto.js';
import { currentState } from './current-state.js';

/** The answer to a create call (contract/interface.md, Collection response). */
interface CollectionResponse {
  readonly status: CollectionView['status'];
  readonly reference: string;
  /** null: it is not known whether a prompt was shown. */
  readonly rail_reference: string | null;
  readonly amount_minor: bigint;
  readonly currency: string;
}

@Controller('api/v4/collections')
@V4Authenticated()
export class CollectionsController {
  constructor(
    private readonly collections: CollectionCalls,
    private readonly idempotency: Idempotency,
    private readonly minPosition: MinPosition,
  ) {}

  @Post()
  @HttpCode(202)
  @MoneyMovement()
  async create(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(CreateCollectionDto, CollectionTermsSource)) dto: CreateCollectionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CollectionResponse> {
    await this.minPosition.check(caller);
    const { reference, phone, amount_minor, currency, channel, account_no } = dto;
    const call = {
      caller,
      route: 'POST /api/v4/collections',
      reference,
      fields: [account_no, phone, amount_minor, currency, channel, reference],
    };
    const result = await this.idempotency.once(call, {
      current: async () => currentState(await this.collections.history(caller, reference)),
      run: () => this.collections.initiate(dto, caller),
    });
    showPosition(reply, await this.collections.positionAfter(result, caller, reference));
    return answer(result, ({ value, replayed }) => {
      if (replayed) void reply.header('Idempotent-Replayed', 'true');
      return toResponse(value);
    });
  }

  @Get(':reference')
  async find(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransactionItem> {
    await this.minPosition.check(caller);
    // What cannot be a reference names nothing; the store is not asked for whatever stands in a path.
    if (!referencePattern.test(reference)) throw problem('not_found');
    const history = await this.collections.history(caller, reference);
    const item = transactionFrom(history);
    if (!item) throw problem('not_found');
    showPosition(reply, history.at(-1)?.position);
    return item;
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
