import { Body, Controller, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type CollectionKey,
  type CollectionView,
  FindCollection,
  InitiateCollection,
  type Initiated,
} from '#collections';
import { transactionFrom, type TransactionItem } from '#read-models';
import { Keyring } from '#signing';
import { type FastifyReply } from 'fastify';
import { ByCaller, type Caller, metadataOf, MoneyMovement } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { answer, problem } from '../errors.js';
import { Idempotency } from '../idempotency/idempotency.js';
import { showPosition } from '../ledger-headers.js';
import { validatedAgainst } from '../validation/validated.js';
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
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly idempotency: Idempotency,
    private readonly keyring: Keyring,
  ) {}

  @Post()
  @HttpCode(202)
  @MoneyMovement()
  async create(
    @ByCaller() caller: Caller,
    @Body(validatedAgainst(CreateCollectionDto, CollectionTermsSource)) dto: CreateCollectionDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CollectionResponse> {
    const { reference, phone, amount_minor, currency, channel, account_no } = dto;
    const call = {
      caller,
      route: 'POST /api/v4/collections',
      reference,
      fields: [account_no, phone, amount_minor, currency, channel, reference],
    };
    const result = await this.idempotency.once(call, {
      current: async () => currentState(await this.history(caller, reference)),
      run: () => this.commands.execute(initiate(dto, caller, this.keyring)),
    });
    return answer(result, ({ value, replayed }) => {
      if (replayed) void reply.header('Idempotent-Replayed', 'true');
      showPosition(reply, value.position);
      return toResponse(value);
    });
  }

  @Get(':reference')
  async find(
    @ByCaller() caller: Caller,
    @Param('reference') reference: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransactionItem> {
    // What cannot be a reference names nothing; the store is not asked for whatever stands in a path.
    if (!referencePattern.test(reference)) throw problem('not_found');
    const history = await this.history(caller, reference);
    const item = transactionFrom(history);
    if (!item) throw problem('not_found');
    showPosition(reply, history.at(-1)?.position);
    return item;
  }

  private history({ credential: { merchantId, mode } }: Caller, reference: string) {
    const key: CollectionKey = { merchantId, mode, reference };
    return this.queries.execute(new FindCollection(key));
  }
}

function initiate(dto: CreateCollectionDto, caller: Caller, keyring: Keyring): InitiateCollection {
  const { account } = dto.terms;
  if (!account) throw new TypeError('a collection without an account got past its validation');
  const { phone, channel, reference } = dto;
  const amountMinor = BigInt(dto.amount_minor);
  return new InitiateCollection(
    { account, phone, amountMinor, channel, reference, origin: 'v4' },
    metadataOf(caller, keyring),
  );
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
