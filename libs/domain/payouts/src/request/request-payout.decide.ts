import { type PhoneTraces, type RailAmount } from '#domain/collections';
import { ok, refuse, type Result } from '#domain/kernel';
import { feeFor } from '#domain/ledger';
import { type Account } from '#domain/merchants';
import { type PayoutRequested } from '../payout.events.js';
import { type PayoutTerms } from '../ports.js';

/** A payout as an edge has validated it; the account is the proof that the merchant's was looked up. */
export interface PayoutDetails {
  readonly account: Account;
  /** `254` then 7 or 1 and eight digits. */
  readonly phone: string;
  readonly amountMinor: RailAmount;
  /** The rail that is to carry it. */
  readonly channel: string;
  readonly reference: string;
  /** Who asks: the holder of the credential. */
  readonly holder: string;
}

/** `unbound_holder`: in live mode a holder that is bound to nothing asks for nothing (PEO-38). */
export type RequestRefusal = 'destination_not_allowed' | 'limit_exceeded' | 'unbound_holder';

/** The payout's first event, its fee fixed by the schedule of this moment (FEE-2, PAY-4), or why it cannot be asked for. */
export function decideRequestPayout(
  details: PayoutDetails,
  terms: PayoutTerms,
  noted: PhoneTraces & { readonly reservationsRevision: bigint | undefined },
): Result<PayoutRequested, RequestRefusal> {
  const { account, amountMinor } = details;
  if (terms.destinations && !terms.destinations.has(noted.phoneHmac))
    return refuse('destination_not_allowed');
  if (terms.maxMinor !== undefined && amountMinor > terms.maxMinor) return refuse('limit_exceeded');
  return ok({
    type: 'PayoutRequested',
    data: {
      merchantId: account.merchantId,
      mode: account.mode,
      accountNo: account.accountNo,
      currency: account.currency,
      amountMinor,
      feeMinor: feeFor(account.feeSchedule, amountMinor),
      channel: details.channel,
      reference: details.reference,
      phoneHmac: noted.phoneHmac,
      phoneMasked: noted.phoneMasked,
      holder: details.holder,
      ...(noted.reservationsRevision === undefined
        ? {}
        : { reservationsRevision: noted.reservationsRevision.toString() }),
    },
  });
}
