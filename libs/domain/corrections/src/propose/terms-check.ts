import { ok, refuse, type Result } from '#domain/kernel';
import { type EventRecord, type EventStore } from '#domain/event-sourcing';
import { isReceiptFree, type UsedReceipts } from '#domain/reviews';
import { type ClearedRails } from '#domain/ledger';
import { type MerchantDirectory } from '#domain/merchants';
import { type CorrectionTerms } from '../correction.events.js';
import { accountNoOf } from '../legs.js';
import { checkTerms, type ProposeRefusal } from './propose-correction.decide.js';

/** Checks that the named accounts and the corrected stream exist, and that the receipt is free. */
export class TermsCheck {
  constructor(
    private readonly store: EventStore,
    private readonly merchants: MerchantDirectory,
    private readonly receipts: UsedReceipts,
    private readonly rails: ClearedRails,
  ) {}

  /**
   * @param stream the correction's own
   * @throws DependencyUnavailable
   */
  async check(stream: string, terms: CorrectionTerms): Promise<Result<undefined, ProposeRefusal>> {
    const checked = checkTerms(terms);
    if (!checked.ok) return checked;
    if (!(await this.areAccountsKnown(terms))) return refuse('unknown_account');
    if (!(await this.isCorrectedKnown(terms))) return refuse('unknown_stream');
    const { mode, receipt } = terms;
    const isFree = await isReceiptFree(this.receipts, { mode, stream, receipt });
    return isFree ? ok(undefined) : refuse('receipt_taken');
  }

  private async areAccountsKnown({
    merchantId,
    mode,
    currency,
    legs,
  }: CorrectionTerms): Promise<boolean> {
    for (const leg of legs) {
      const accountNo = accountNoOf(leg);
      if (accountNo === undefined) {
        if (!this.rails.isOtherAccount(leg.account)) return false;
        continue;
      }
      const account = await this.merchants.findAccount(merchantId, mode, accountNo);
      if (account?.currency !== currency) return false;
    }
    return true;
  }

  /**
   * Collections, payouts and corrections have their merchant in their first event, and their mode in the stream's name.
   */
  private async isCorrectedKnown({
    corrects,
    mode,
    merchantId,
  }: CorrectionTerms): Promise<boolean> {
    if (corrects === undefined) return true;
    const isOfMode = ['collection', 'payout', 'correction'].some((kind) =>
      corrects.startsWith(`${kind}-${mode}:`),
    );
    if (!isOfMode) return false;
    const [first] = await this.store.readStream<EventRecord>(corrects);
    return (first?.data as { merchantId?: string } | undefined)?.merchantId === merchantId;
  }
}
