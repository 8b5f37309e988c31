import { ok, refuse, type Result } from '#domain/kernel';
import { type Wallet } from '#domain/ledger';
import { isPaidToNumber, type PayoutRequest, walletOf } from '../payout.js';
import {
  type AllowanceKind,
  type PaidNumbers,
  type PayoutAllowances,
  type PayoutTerms,
  type PayoutTermsDirectory,
} from '../ports.js';

/** The amount that counts in a day, and its merchant. */
type Counted = Pick<PayoutRequest, 'merchantId' | 'mode' | 'amountMinor'>;

/** `limit_exceeded`: of one payout, or of the day. */
export type LimitRefusal = 'destination_not_allowed' | 'limit_exceeded';

/** Limits approvals beyond the payout itself (PAY-50): the operator's limits, and the sums of the merchant's days. */
export class ApprovalLimits {
  constructor(
    protected readonly directory: PayoutTermsDirectory,
    private readonly allowances: PayoutAllowances,
  ) {}

  /**
   * Counts a payout in its merchant's day, or returns the reason why it may not be approved now.
   * @throws DependencyUnavailable
   */
  async admit(stream: string, request: PayoutRequest): Promise<Result<undefined, LimitRefusal>> {
    const terms = await this.directory.termsOf(request.merchantId, request.mode);
    const { destinations, maxMinor } = terms;
    if (destinations && isPaidToNumber(request) && !destinations.has(request.phoneHmac ?? ''))
      return refuse('destination_not_allowed');
    if (maxMinor !== undefined && request.amountMinor > maxMinor) return refuse('limit_exceeded');
    return this.count(stream, request, terms);
  }

  /**
   * Does the same for a whole batch, whose payouts the sender checks one by one.
   * @throws DependencyUnavailable
   */
  async admitBatch(stream: string, request: Counted): Promise<Result<undefined, LimitRefusal>> {
    return this.count(
      stream,
      request,
      await this.directory.termsOf(request.merchantId, request.mode),
    );
  }

  protected async count(
    stream: string,
    request: Counted,
    { timezone, maxPerDayMinor }: PayoutTerms,
  ): Promise<Result<undefined, 'limit_exceeded'>> {
    const day = { timezone, ...(maxPerDayMinor === undefined ? {} : { maxPerDayMinor }) };
    return (await this.claim('approved', stream, request, day))
      ? ok(undefined)
      : refuse('limit_exceeded');
  }

  protected claim(
    kind: AllowanceKind,
    stream: string,
    { merchantId, mode, amountMinor }: Counted,
    day: Pick<PayoutTerms, 'timezone' | 'maxPerDayMinor'>,
  ): Promise<boolean> {
    return this.allowances.claim({ kind, merchantId, mode, stream, amountMinor, ...day });
  }
}

/** Limits a merchant's payouts beyond its money (PAY-8): the operator's limits, its days, and its known numbers. */
export class PayoutLimits extends ApprovalLimits {
  constructor(
    directory: PayoutTermsDirectory,
    allowances: PayoutAllowances,
    private readonly paid: PaidNumbers,
  ) {
    super(directory, allowances);
  }

  /** @throws DependencyUnavailable */
  termsOf({ merchantId, mode }: Pick<Wallet, 'merchantId' | 'mode'>): Promise<PayoutTerms> {
    return this.directory.termsOf(merchantId, mode);
  }

  /**
   * True if the payout passes without a second holder; then it is counted. A number that the wallet never paid before
   * always needs one.
   * @throws DependencyUnavailable
   */
  async mayPassAlone(stream: string, request: PayoutRequest, terms: PayoutTerms): Promise<boolean> {
    const { phoneHmac } = request;
    if (request.amountMinor > terms.automaticMaxMinor || phoneHmac === undefined) return false;
    if (!(await this.paid.hasPaid(walletOf(request), phoneHmac))) return false;
    const { timezone, automaticPerDayMinor: maxPerDayMinor } = terms;
    if (!(await this.claim('automatic', stream, request, { timezone, maxPerDayMinor })))
      return false;
    return (await this.count(stream, request, terms)).ok;
  }
}
