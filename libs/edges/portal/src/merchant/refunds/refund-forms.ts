import {
  type Collection,
  FindCollection,
  numbersIn,
  refundableMinor,
  referencePattern,
} from '#domain/collections';
import { type Minor } from '#domain/kernel';
import {
  decideRefund,
  PayoutPhones,
  PayoutRail,
  type PayoutRequest,
  type RefundDetails,
  type RefundRail,
} from '#domain/payouts';
import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type Viewer } from '../../access/viewer.js';
import { typedPhone } from '../../text/typed-phone.js';
import { minorTyped } from '../payouts/batch-file.js';
import { PayoutForms } from '../payouts/payout-forms.js';
import { newReference } from '../payouts/new-reference.js';
import { type Place } from '../place.js';
import { type RefundProblem, type TypedRefund } from './typed-refund.js';

type Completed = Extract<Collection, { readonly status: 'completed' }>;

/** A completed collection with the ways in which it can be refunded. */
export interface Refundable {
  readonly collection: Completed;
  readonly rail: RefundRail;
  readonly leftMinor: Minor;
  /** True if the rail reverses the payment as a whole, without its number. */
  readonly isReversible: boolean;
  /** True if an amount can be sent to the number that paid. */
  readonly isPayable: boolean;
}

/** Reads the form of a refund by the API's rules (REF-1, REF-2), for the holder that its sender acts as. */
@Injectable()
export class RefundForms {
  constructor(
    private readonly queries: QueryBus,
    private readonly rail: PayoutRail,
    private readonly phones: PayoutPhones,
    private readonly payouts: PayoutForms,
  ) {}

  /**
   * Finds the collection, or returns undefined if it does not exist.
   * @throws DependencyUnavailable
   */
  async find(
    { merchantId, mode }: Place,
    reference: string,
  ): Promise<Refundable | { readonly problem: RefundProblem } | undefined> {
    const key = { merchantId, mode, reference };
    const { state } = await this.queries.execute(new FindCollection(key));
    if (state.status === 'none') return undefined;
    if (state.status !== 'completed') return { problem: 'not_refundable' };
    const { channel } = state.intent;
    const limits = this.rail.payoutLimits(channel, mode);
    if (!limits) return { problem: 'no_rail' };
    const rail = { limits, reverses: this.rail.reverses(channel, mode) };
    return refundableOf(state, { rail, tracesOf: this.#tracesOf });
  }

  /**
   * Reads the details, or the form's error with its field.
   * @throws DependencyUnavailable
   */
  async read(
    typed: TypedRefund,
    collection: string,
    { viewer, place }: { readonly viewer: Viewer; readonly place: Place },
  ): Promise<RefundDetails | { readonly problem: RefundProblem }> {
    const amountMinor = minorTyped(typed.amount);
    if (amountMinor === undefined || amountMinor === 0n) return { problem: 'amount' };
    const phone = typed.phone === '' ? undefined : typedPhone(typed.phone);
    if (phone === undefined && typed.phone !== '') return { problem: 'phone' };
    const { reference } = typed;
    if (!referencePattern.test(reference)) return { problem: 'reference' };
    const { merchantId, mode } = place;
    const holder = await this.payouts.holderOf(viewer, place);
    const named = phone === undefined ? {} : { phone };
    return { merchantId, mode, collection, reference, holder, amountMinor, ...named };
  }

  /** Decides as the command will, except for the limits and the wallet's money. Nothing is recorded. */
  preview(
    details: RefundDetails,
    { collection, rail }: Refundable,
  ): ReturnType<typeof decideRefund> {
    return decideRefund(details, { rail, tracesOf: this.#tracesOf }, collection);
  }

  readonly #tracesOf = (phone: string) => this.phones.tracesOf(phone);

  phoneHmac({ phone }: RefundDetails): string | undefined {
    return phone === undefined ? undefined : this.phones.tracesOf(phone).phoneHmac;
  }

  /** True if the payout with this reference is the refund that the form asks for. */
  isSame(details: RefundDetails, existing: PayoutRequest): boolean {
    const phoneHmac = this.phoneHmac(details);
    return (
      existing.refund?.reference === details.collection &&
      existing.amountMinor === details.amountMinor &&
      (phoneHmac === undefined || phoneHmac === existing.phoneHmac)
    );
  }
}

/** Decides about everything that is left, without a number: then only a reversal is possible. */
function refundableOf(
  state: Completed,
  by: Parameters<typeof decideRefund>[1],
): Refundable | { readonly problem: RefundProblem } {
  const leftMinor = refundableMinor(state);
  if (leftMinor <= 0n) return { problem: 'not_refundable' };
  const { mode, merchantId, reference: collection, phoneHmac } = state.intent;
  const all = { mode, merchantId, collection, amountMinor: leftMinor, reference: '', holder: '' };
  const decided = decideRefund(all, by, state);
  const found = { collection: state, rail: by.rail, leftMinor };
  if (decided.ok) return { ...found, isReversible: true, isPayable: phoneHmac !== undefined };
  const { refusal } = decided;
  if (refusal === 'phone_needed') return { ...found, isReversible: false, isPayable: true };
  return { problem: refusal === 'unknown_collection' ? 'not_refundable' : refusal };
}

/**
 * The reference that a form begins with: the collection's own with a prefix, and a number from the second refund on.
 * Two people who refund the same payment at once then have the same one, so it is refunded once.
 */
export function firstReference({ intent, refunds }: Completed): string {
  const count = refunds.byPayout.size;
  const reference = `refund-${intent.reference}${count === 0 ? '' : `-${(count + 1).toString()}`}`;
  // A reference may contain the number that paid only if V3 made it (REF-11).
  const isFit = referencePattern.test(reference) && numbersIn(reference).length === 0;
  return isFit ? reference : newReference('refund');
}
