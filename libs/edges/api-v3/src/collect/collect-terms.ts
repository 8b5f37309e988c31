import { Injectable } from '@nestjs/common';
import { Rail, type RailLimits } from '#domain/collections';
import { DependencyUnavailable, type Mode } from '#domain/kernel';
import { type Account, accountNoPattern, MerchantDirectory } from '#domain/merchants';
import { CachedMerchants } from '#views/merchants';
import { ApiV3Options } from '../api-v3.options.js';
import { type Member } from '../members.js';

/** What a collection's fields are measured against. */
export interface Terms {
  readonly account: Account;
  readonly limits: RailLimits;
  /** Where the merchant's callbacks may go. */
  readonly callbacks: { readonly hosts: readonly string[]; readonly schemes: readonly string[] };
}

/** Looks up what a collection's fields are measured against. */
@Injectable()
export class CollectTerms {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly rail: Rail,
    private readonly merchants: CachedMerchants,
    private readonly options: ApiV3Options,
  ) {}

  /**
   * @returns undefined where the merchant has no such account in this mode
   * @throws DependencyUnavailable where the views cannot answer, or the mode has no rail
   */
  async find(
    merchantId: string,
    mode: Mode,
    accountNo: Member | undefined,
  ): Promise<Terms | undefined> {
    if (accountNo?.kind !== 'text' || !accountNoPattern.test(accountNo.text)) return undefined;
    const account = await this.directory.findAccount(merchantId, mode, accountNo.text);
    if (!account) return undefined;
    const limits = this.rail.limits('mpesa', mode);
    if (!limits) throw new DependencyUnavailable('rail', 'none is configured for this mode');
    const hosts = (await this.merchants.merchant(merchantId))?.hosts ?? [];
    const schemes = this.options.allowPrivate ? ['https:', 'http:'] : ['https:'];
    return { account, limits, callbacks: { hosts, schemes } };
  }
}
