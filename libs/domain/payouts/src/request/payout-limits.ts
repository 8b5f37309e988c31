import { type Wallet } from '#domain/ledger';
import { type PayoutRequest, walletOf } from '../payout.js';
import {
  type AllowanceKind,
  type PaidNumbers,
  type PayoutAllowances,
  type PayoutTerms,
  type PayoutTermsDirectory,
} from '../ports.js';

/** What counts in a day, and whose. */
type Counted = Pick<PayoutRequest, 'merchantId' | 'mode' | 'amountMinor'>;

/** What bounds a merchant's payouts beyond its money (PAY-8): the operator's limits, its days, the numbers it knows. */
export class PayoutLimits {
  constructor(
    private readonly directory: PayoutTermsDirectory,
    private readonly allowances: PayoutAllowances,
    private readonly paid: PaidNumbers,
  ) {}

  /** @throws DependencyUnavailable */
  termsOf({ merchantId, mode }: Pick<Wallet, 'merchantId' | 'mode'>): Promise<PayoutTerms> {
    return this.directory.termsOf(merchantId, mode);
  }

  /** Counts the payout, or the whole of a batch, in its merchant's day; false where the day has no room. @throws DependencyUnavailable */
  async mayBeAsked(stream: string, request: Counted, terms: PayoutTerms): Promise<boolean> {
    const { maxPerDayMinor } = terms;
    // Nothing needs to be counted where nothing bounds it.
    return (
      maxPerDayMinor === undefined ||
      this.claim('asked', stream, request, { ...terms, maxPerDayMinor })
    );
  }

  /**
   * Whether the payout passes without a second holder. A number that the wallet never paid before always needs one.
   * @throws DependencyUnavailable
   */
  async mayPassAlone(stream: string, request: PayoutRequest, terms: PayoutTerms): Promise<boolean> {
    if (request.amountMinor > terms.automaticMaxMinor) return false;
    if (!(await this.paid.hasPaid(walletOf(request), request.phoneHmac))) return false;
    const day = { ...terms, maxPerDayMinor: terms.automaticPerDayMinor };
    return this.claim('automatic', stream, request, day);
  }

  /** Counts the payout no more: it was not recorded, or was rejected. @throws DependencyUnavailable */
  giveBack(stream: string): Promise<void> {
    return this.allowances.giveBack(stream);
  }

  private claim(
    kind: AllowanceKind,
    stream: string,
    { merchantId, mode, amountMinor }: Counted,
    {
      timezone,
      maxPerDayMinor,
    }: Pick<PayoutTerms, 'timezone'> & { readonly maxPerDayMinor: bigint },
  ): Promise<boolean> {
    const of = { kind, merchantId, mode, timezone, stream };
    return this.allowances.claim({ ...of, amountMinor, maxPerDayMinor });
  }
}
