import {
  type Collection,
  decideReserveRefund,
  numbersIn,
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
 * - `phone_in_reference`: the refund's reference contains the number that paid (REF-11).
 * - `invalid_amount`: the rail sends no such amount to a number.
 */
export type RefundRefusal =
  | ClaimRefusal
  | 'phone_needed'
  | 'phone_differs'
  | 'phone_in_reference'
  | 'only_whole'
  | 'invalid_amount';

type TracesOf = (phone: string) => PhoneTraces;

/** The first event of a refund, without the fields that depend on the wallet. */
export type RefundTerms = Omit<PayoutRequested['data'], 'reservationsRevision'>;

/**
 * Returns the terms of a refund (REF-2). The rail reverses a whole payment by its receipt. Another amount is sent to the
 * number that paid. A refund carries no fee, and the collection's fee stays (REF-3).
 * @param tracesOf the traces of a number that history may hold
 */
export function decideRefund(
  { collection, amountMinor, phone, reference, holder }: RefundDetails,
  { rail, tracesOf }: { readonly rail: RefundRail; readonly tracesOf: TracesOf },
  state: Collection,
): Result<RefundTerms, RefundRefusal> {
  const left = state.status === 'completed' ? refundableMinor(state) : 0n;
  const asked = amountMinor ?? left;
  const room = decideReserveRefund({ payoutReference: reference, amountMinor: asked }, state);
  if (!room.ok) return room;
  if (state.status !== 'completed' || asked <= 0n) return refuse('not_refundable');
  const { intent, payment, postedMinor } = state;
  const { phoneHmac, phoneMasked, merchantId, mode, accountNo, currency, channel } = intent;
  if (phone !== undefined && tracesOf(phone).phoneHmac !== phoneHmac)
    return refuse('phone_differs');
  if (numbersIn(reference).some((number) => tracesOf(number).phoneHmac === phoneHmac))
    return refuse('phone_in_reference');
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
  if (phone === undefined) return refuse('phone_needed');
  if (!railAmount(rail.limits, asked, currency).ok) return refuse('invalid_amount');
  return ok({ ...terms, refund: { reference: collection } });
}
