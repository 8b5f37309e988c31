import { Controller, Get, Query, Res } from '@nestjs/common';
import { Clock } from '#kernel';
import { Database } from '#postgres';
import { listTransactions, type TransactionItem, type TransactionsPage } from '#read-models';
import { type FastifyReply } from 'fastify';
import { ApiV4Options } from '../api-v4.options.js';
import { ByCaller, type Caller } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { showFreshness } from '../ledger-headers.js';
import { MinPosition } from '../min-position.js';
import { validated } from '../validation/validated.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { ListTransactionsDto } from './list-transactions.dto.js';

/** contract/interface.md, Transaction list envelope. */
interface TransactionList {
  readonly data: readonly TransactionItem[];
  readonly next_cursor: string | null;
}

const defaultLimit = 25;

@Controller('api/v4/transactions')
@V4Authenticated()
export class TransactionsController {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly options: ApiV4Options,
    private readonly minPosition: MinPosition,
  ) {}

  @Get()
  async list(
    @ByCaller() caller: Caller,
    @Query(validated(ListTransactionsDto)) query: ListTransactionsDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransactionList> {
    await this.minPosition.reach(caller);
    const { items, next, position, asOf } = await listTransactions(
      this.database,
      pageOf(caller, query),
      { nowMs: this.clock.nowMs(), maxAgeMs: this.options.readModelMaxAgeMs },
    );
    showFreshness(reply, { position, asOf });
    return { data: items, next_cursor: next === undefined ? null : encodeCursor(next) };
  }
}

function pageOf({ credential }: Caller, query: ListTransactionsDto): TransactionsPage {
  const { type, status, from, to, limit, cursor, date_field: dateField } = query;
  const before = cursor === undefined ? undefined : decodeCursor(cursor);
  return {
    merchantId: credential.merchantId,
    mode: credential.mode,
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(before !== undefined && { before }),
    dateField: dateField ?? 'created_at',
    limit: limit === undefined ? defaultLimit : Number(limit),
  };
}
