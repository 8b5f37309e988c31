import {
  type Collection,
  decideReserveRefund,
  type RefundRefusal as ClaimRefusal,
  refundableMinor,
} from '#domain/collections';
import { type Minor, ok, type PhoneTraces, refuse, type Result } from '#domain/kernel';
import { railAmount, type RailLimits } from '#domain/rails';
import { type PayoutRequested } from '../payout.events.js';

/** A refund that a merchant asks for, as an edge has validated it. */
export interface RefundDetails {
  readonly mode: PayoutRequested['data']['mode'];
  readonly merchantId: string;
  /** The reference of the collection. */
  readonly collection: string;
  /** Absent if everything that is left is given back. */
  readonly amountMinor?: Minor;
  /** The customer's number, in international form. Needed unless the rail reverses the payment. */
  readonly phone?: string;
  /** The reference of the refund, among the merchant's payouts. */
  readonly reference: string;
  /** The requester: the holder of the credential. */
  readonly holder: string;
}

/** The abilities of a rail that decide how a refund is sent. */
export interface RefundRail {
  /** The limits of a payment to a number. */
  readonly limits: RailLimits;
  /** True if the rail gives a payment back by its receipt, as a whole. */
  readonly reverses: boolean;
}

/**
 * The reasons of a refusal.
 * - `phone_needed`: the refund is sent to the customer's number, which the request does not name.
 * - `phone_differs`: the number is not the one that paid, or the rail hides that number.
 * - `only_whole`: the rail hides the number that paid, so the payment can only be reversed as a whole.
 * - `invalid_amount`: the rail sends no such amount to a number.
 */
export type RefundRefusal =
  ClaimRefusal | 'phone_needed' | 'phone_differs' | 'only_whole' | 'invalid_amount';

/** The first event of a refund, without the fields that depend on the wallet. */
export type RefundTerms = Omit<PayoutRequested['data'], 'reservationsRevision'>;

/**
 * Returns the terms of a refund (REF-2). The rail reverses a whole payment by its receipt. Another amount is sent to the
 * number that paid. A refund carries no fee, and the collection's fee stays (REF-3).
 * @param traces those of the request's number, if it names one
 */
export function decideRefund(
  { collection, amountMinor, reference, holder }: RefundDetails,
  { rail, traces }: { readonly rail: RefundRail; readonly traces: PhoneTraces | undefined },
  state: Collection,
): Result<RefundTerms, RefundRefusal> {
  const left = state.status === 'completed' ? refundableMinor(state) : 0n;
  const asked = amountMinor ?? left;
  const room = decideReserveRefund({ payoutReference: reference, amountMinor: asked }, state);
  if (!room.ok) return room;
  if (state.status !== 'completed' || asked <= 0n) return refuse('not_refundable');
  const { intent, payment, postedMinor } = state;
  const { phoneHmac, phoneMasked, merchantId, mode, accountNo, currency, channel } = intent;
  if (traces && traces.phoneHmac !== phoneHmac) return refuse('phone_differs');
  const terms = {
    merchantId,
    mode,
    accountNo,
    currency,
    channel,
    reference,
    holder,
    amountMinor: asked,
    feeMinor: 0n,
    ...(phoneHmac === undefined ? {} : { phoneHmac }),
    ...(phoneMasked === undefined ? {} : { phoneMasked }),
  };
  if (asked === postedMinor && rail.reverses && payment.receipt !== undefined)
    return ok({ ...terms, refund: { reference: collection, reverses: payment.receipt } });
  if (phoneHmac === undefined) return refuse('only_whole');
  if (!traces) return refuse('phone_needed');
  if (!railAmount(rail.limits, asked, currency).ok) return refuse('invalid_amount');
  return ok({ ...terms, refund: { reference: collection } });
}
