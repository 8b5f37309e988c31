import { Documented, named } from '#shared/openapi';
import { z } from 'zod';
import { accountNoPattern } from '#domain/merchants';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ReadDatabase } from '#infra/postgres';
import { findBalance, findBalanceAsOf } from '#views/balances';
import { PastReads } from '#views/view-set';
import { type FastifyReply } from 'fastify';
import { ApiV4Options } from '../api-v4.options.js';
import { ByCaller, type Caller } from '../authentication/caller.js';
import { V4Authenticated } from '../authentication/v4.guard.js';
import { errors, problem } from '../errors.js';
import { MinPosition, showFreshness, viewHeaders } from '../ledger-position.js';

/** An account's balance (LIST-17). Amounts are in minor units and may be negative. */
export const balanceResponse = named(
  'Balance',
  z.object({
    account_no: z.string().regex(accountNoPattern),
    currency: z.string().describe('ISO 4217 code.'),
    posted_minor: z.bigint().describe('All that was posted: in, less out. Minor units.'),
    reserved_minor: z
      .bigint()
      .describe('Set aside for payouts and corrections under way. Minor units.'),
    available_minor: z.bigint().describe('The amount that a payout may take. Minor units.'),
  }),
);
export type BalanceResponse = z.infer<typeof balanceResponse>;

export const balanceExample = {
  account_no: '10000001',
  currency: 'KES',
  posted_minor: 24_625,
  reserved_minor: 0,
  available_minor: 24_625,
};

@Controller('api/v4/accounts')
@V4Authenticated()
export class AccountsController {
  constructor(
    private readonly database: ReadDatabase,
    private readonly options: ApiV4Options,
    private readonly minPosition: MinPosition,
    private readonly past: PastReads,
  ) {}

  @Get(':account_no/balance')
  @Documented({
    operationId: 'findBalance',
    tag: 'Accounts',
    summary: 'Retrieve the balance of an account',
    description:
      'All three figures are as of one position of the ledger: the newest that the view has, or that of `X-PP-At-Position`. If the account was not open at that position, the answer is `not_found`.',
    asOf: true,
    path: {
      account_no: {
        description: 'An account of yours in the mode of the credential.',
        example: '10000001',
        schema: { type: 'string', pattern: accountNoPattern.source },
      },
    },
    answer: {
      description: 'The balance.',
      shape: balanceResponse,
      example: balanceExample,
      headers: viewHeaders,
    },
    refusals: [errors.not_found],
  })
  async balance(
    @ByCaller() caller: Caller,
    @Param('account_no') accountNo: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BalanceResponse> {
    const at = await this.minPosition.asOf(caller);
    const { merchantId, mode } = caller.credential;
    if (!accountNoPattern.test(accountNo)) throw problem('not_found');
    const account = { merchantId, mode, accountNo };
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    const balance = await this.minPosition.answered(at === undefined ? caller : {}, () =>
      at === undefined
        ? findBalance(this.database, account, bound)
        : this.past.run(merchantId, (past) => findBalanceAsOf(past, account, at, bound)),
    );
    if (!balance) throw problem('not_found');
    showFreshness(reply, balance);
    return {
      account_no: balance.accountNo,
      currency: balance.currency,
      posted_minor: balance.postedMinor,
      reserved_minor: balance.reservedMinor,
      available_minor: balance.availableMinor,
    };
  }
}
