import { type RailAmount } from '#domain/rails';
import { ok, type PhoneTraces, refuse, type Result } from '#domain/kernel';
import { feeFor } from '#domain/ledger';
import { type Account } from '#domain/merchants';
import { type PayoutRequested } from '../payout.events.js';
import { type PayoutTerms } from '../ports.js';

/** A payout as an edge has validated it. The account proves that it was looked up among the merchant's. */
export interface PayoutDetails {
  readonly account: Account;
  /** `254` then 7 or 1 and eight digits. */
  readonly phone: string;
  readonly amountMinor: RailAmount;
  /** The rail to use. */
  readonly channel: string;
  readonly reference: string;
  /** The requester: the holder of the credential. */
  readonly holder: string;
}

/**
 * `unbound_holder`: in live mode an unbound holder may not request (PEO-38). `role_lost`: a person has lost the role
 * since the request began (PEO-61).
 */
export type RequestRefusal =
  'destination_not_allowed' | 'limit_exceeded' | 'unbound_holder' | 'role_lost';

/**
 * Returns the payout's first event, with its fee fixed by the current schedule (FEE-2, PAY-4), or the reason of a
 * refusal.
 */
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
