import { decimalFromMinor } from '#domain/kernel';
import { accountNoPattern } from '#domain/merchants';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { RawQuery } from '#shared/http';
import { BalanceReader } from '#views/balances';
import { CachedMerchants } from '#views/merchants';
import { type FastifyRequest } from 'fastify';
import { ApiV3Options, prefixes } from '../api-v3.options.js';
import { ByCaller, type Caller, V3Authenticated } from '../authentication/v3.guard.js';
import { problem } from '../errors.js';
import { modeOfQuery } from '../members.js';

/** The path `{cc}/{acc}/{cur}`: country, account number, currency. */
interface Named {
  readonly cc: string;
  readonly acc: string;
  readonly cur: string;
}

function signedText({ params }: FastifyRequest): string {
  const { cc, acc, cur } = params as Named;
  return cc + acc + cur;
}

@Controller(prefixes)
export class BalanceController {
  constructor(
    private readonly merchants: CachedMerchants,
    private readonly balances: BalanceReader,
    private readonly options: ApiV3Options,
  ) {}

  /** @throws Problem not_found for an account that is unknown, another's, of another country, mode or currency */
  @Get('account/balance/:cc/:acc/:cur')
  @V3Authenticated(signedText)
  async balance(
    @ByCaller() { credential: { merchantId } }: Caller,
    @Param() { cc, acc: accountNo, cur }: Named,
    @Query() query: RawQuery,
  ): Promise<{ balance: string }> {
    const mode = modeOfQuery(query);
    if (!accountNoPattern.test(accountNo)) throw problem('not_found');
    const merchant = await this.merchants.merchant(merchantId);
    if (merchant?.country !== cc) throw problem('not_found');
    const balance = await this.balances.find(
      { merchantId, mode, accountNo },
      { maxAgeMs: this.options.readModelMaxAgeMs },
    );
    if (balance?.currency !== cur) throw problem('not_found');
    return { balance: decimalFromMinor(balance.postedMinor) };
  }
}
