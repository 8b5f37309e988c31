import { Injectable } from '@nestjs/common';
import { Rail } from '#domain/collections';
import { DependencyUnavailable } from '#domain/kernel';
import { accountNoPattern, MerchantDirectory } from '#domain/merchants';
import { type Caller } from '../authentication/caller.js';
import { type TermsSource } from '../validation/validated.js';
import { type CollectionTerms } from './create-collection.dto.js';

/** Looks up what a collection's fields are measured against. */
@Injectable()
export class CollectionTermsSource implements TermsSource<CollectionTerms> {
  constructor(
    private readonly directory: MerchantDirectory,
    private readonly rail: Rail,
  ) {}

  /** @throws DependencyUnavailable where the directory cannot answer, or the mode has no rail */
  async termsFor(
    { credential: { merchantId, mode } }: Caller,
    { account_no: accountNo }: Readonly<Record<string, unknown>>,
  ): Promise<CollectionTerms> {
    const limits = this.rail.limits('mpesa', mode);
    if (!limits) throw new DependencyUnavailable('rail', 'none is configured for this mode');
    const account =
      typeof accountNo === 'string' && accountNoPattern.test(accountNo)
        ? await this.directory.findAccount(merchantId, mode, accountNo)
        : undefined;
    return { account, limits };
  }
}
