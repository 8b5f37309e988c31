import { Controller, Get, Query, Res } from '@nestjs/common';
import { ReadDatabase } from '#infra/postgres';
import { Documented } from '#shared/openapi';
import {
  decodeCursor,
  encodeCursor,
  listTransactions,
  listTransactionsAsOf,
  type TransactionsPage,
} from '#views/transactions';
import { PastReads } from '#views/view-set';
import { type FastifyReply } from 'fastify';
import { ApiV4Options } from '../api-v4.options.js';
import { ByCaller, type Caller } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { MinPosition, showFreshness, viewHeaders } from '../ledger-position.js';
import { validated } from '../validation/validated.js';
import { ListTransactionsDto, pageSize } from './list-transactions.dto.js';
import { transactionExample, transactionList, type TransactionList } from './transaction-shapes.js';

@Controller('api/v4/transactions')
@V4Authenticated()
export class TransactionsController {
  constructor(
    private readonly database: ReadDatabase,
    private readonly options: ApiV4Options,
    private readonly minPosition: MinPosition,
    private readonly past: PastReads,
  ) {}

  @Get()
  @Documented({
    operationId: 'listTransactions',
    tag: 'Transactions',
    summary: 'List collections and payouts, newest first',
    description:
      'Pass `next_cursor` back as `cursor` for the next page. `null` means that there are no more. Cursors stay valid for ever, with any filters, and no item ever appears behind one. To reconcile, page through `status=completed` for a day and compare the sums of `amount_minor` and `fee_minor` with a statement. Unknown and repeated parameters are rejected. With `X-PP-At-Position` the page is as of that position. Use the same position for all pages, so that the figures of one close agree. Such a page may have fewer items than `limit`, or none, and still have a `next_cursor`.',
    asOf: true,
    answer: {
      description: 'One page.',
      shape: transactionList,
      example: { data: [transactionExample], next_cursor: null },
      headers: viewHeaders,
    },
    refusals: [],
  })
  async list(
    @ByCaller() caller: Caller,
    @Query(validated(ListTransactionsDto)) query: ListTransactionsDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TransactionList> {
    const at = await this.minPosition.asOf(caller);
    const page = pageOf(caller, query);
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const { items, next, position, asOf } = await this.minPosition.answered(
      at === undefined ? caller : {},
      () =>
        at === undefined
          ? listTransactions(this.database, page, bound)
          : this.past.run(page.merchantId, (past) => listTransactionsAsOf(past, page, at, bound)),
    );
    showFreshness(reply, { position, asOf });
    return { data: items, next_cursor: next === undefined ? null : encodeCursor(next) };
  }
}

function pageOf({ credential }: Caller, query: ListTransactionsDto): TransactionsPage {
  const { type, status, from, to, limit, cursor, date_field: dateField, batch, origin } = query;
  const before = cursor === undefined ? undefined : decodeCursor(cursor);
  return {
    merchantId: credential.merchantId,
    mode: credential.mode,
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
    ...(batch !== undefined && { batch }),
    ...(origin !== undefined && { origin }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(before !== undefined && { before }),
    dateField: dateField ?? 'created_at',
    limit: limit === undefined ? pageSize.usual : Number(limit),
  };
}
