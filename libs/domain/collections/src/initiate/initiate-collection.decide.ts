import { feeFor } from '#domain/ledger';
import { type Account } from '#domain/merchants';
import {
  type CollectionEvent,
  type CollectionIntentRecorded,
  type Origin,
  type RailPushAccepted,
} from '../collection.events.js';
import { type PushAnswer, type RailAmount } from '../rail.js';
import { assertNever, type Minor } from '#domain/kernel';
import { type Collection, type Intent } from '../collection.js';
import { stillAsked } from '../review/questions.js';
import { unansweredByDecline } from '../review/unanswered.js';

/** What history may know of a phone number: a keyed digest (same number, same value) and a masked form. */
export interface PhoneTraces {
  readonly phoneHmac: string;
  readonly phoneMasked: string;
}

/** Turns a phone number into its traces; holds the key that is made once and never rotated. */
export abstract class PhoneVault {
  abstract tracesOf(phone: string): PhoneTraces;
}

/** A collection as an edge has validated it; the account is the proof that the merchant's was looked up. */
export interface CollectionDetails {
  readonly account: Account;
  /** `254` then 7 or 1 and eight digits. */
  readonly phone: string;
  readonly amountMinor: RailAmount;
  /** The rail that is to carry it. */
  readonly channel: string;
  readonly reference: string;
  readonly origin: Origin;
  readonly callbackUrl?: string;
}

/** The intent's event, its fee fixed by the schedule of this moment (FEE-2). */
export function decideInitiateCollection(
  details: CollectionDetails,
  traces: PhoneTraces & { readonly accountReference: string },
): readonly [CollectionIntentRecorded] {
  const { account, amountMinor } = details;
  return [
    {
      type: 'CollectionIntentRecorded',
      data: {
        merchantId: account.merchantId,
        mode: account.mode,
        accountNo: account.accountNo,
        currency: account.currency,
        amountMinor,
        feeMinor: feeFor(account.feeSchedule, amountMinor),
        channel: details.channel,
        reference: details.reference,
        accountReference: traces.accountReference,
        phoneHmac: traces.phoneHmac,
        phoneMasked: traces.phoneMasked,
        origin: details.origin,
        ...(details.callbackUrl === undefined ? {} : { callbackUrl: details.callbackUrl }),
      },
    },
  ];
}

/** The last 60 bits of a version 7 UUID are random: twelve characters of `0-9A-V`, all that Daraja allows. */
export function accountReferenceFrom(uuid: string): string {
  const randomBits = BigInt(`0x${uuid.replaceAll('-', '').slice(-15)}`);
  return randomBits.toString(32).padStart(12, '0').toUpperCase();
}

/** A field in which a request may differ from the collection or payout whose reference it repeats. */
export type DifferingField = 'accountNo' | 'phone' | 'amountMinor' | 'currency';

/**
 * In which fields a request is not the collection or payout that has its reference, in the order of the fields. The phone is
 * compared by its keyed digest, which is all that history knows of it. There is one channel, so it cannot differ.
 */
export function differencesFrom(
  {
    accountNo,
    phoneHmac,
    amountMinor,
    currency,
  }: Pick<Intent, 'accountNo' | 'phoneHmac' | 'amountMinor' | 'currency'>,
  request: Pick<CollectionDetails, 'account'> & {
    readonly amountMinor: Minor;
    readonly phoneHmac: string;
  },
): readonly DifferingField[] {
  const same: Readonly<Record<DifferingField, boolean>> = {
    accountNo: accountNo === request.account.accountNo,
    phone: phoneHmac === request.phoneHmac,
    amountMinor: amountMinor === request.amountMinor,
    currency: currency === request.account.currency,
  };
  return (Object.keys(same) as DifferingField[]).filter((field) => !same[field]);
}

/** What can be a new collection's reference (COL-7). `~` is ours, for further tries on the checkout page. */
export const referencePattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/** Of a collection that exists: one that a customer tried again on the checkout page bears the number of the try. */
export const listedReferencePattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}(?:~[2-4])?$/;

/** Without the country code: the part that every way of writing a number has. */
const subscriberDigits = 9;

/**
 * Whether a reference holds the customer's own number, however it is written. A reference stands in a stream's name,
 * so a number in it could never be erased.
 * @param phone `254` and nine digits
 */
export function referenceHoldsPhone(reference: string, phone: string): boolean {
  return reference.includes(phone.slice(-subscriberDigits));
}

/** As `referenceHoldsPhone`, for any of many numbers, whose count costs a reference nothing. */
export function anyPhoneIn(phones: readonly string[]): (reference: string) => boolean {
  const endings = new Set(phones.map((phone) => phone.slice(-subscriberDigits)));
  return (reference) => {
    for (let at = 0; at + subscriberDigits <= reference.length; at += 1)
      if (endings.has(reference.slice(at, at + subscriberDigits))) return true;
    return false;
  };
}

/**
 * What an answer to the push adds to history. An answer that comes after the callback still tells the
 * rail's reference; a refusal after money arrived changes nothing, and one that comes late ends no question of other money.
 */
export function decideRecordPushOutcome(
  answer: PushAnswer,
  state: Collection,
): readonly CollectionEvent[] {
  if (state.status === 'none' || state.push.kind !== 'unknown') return [];
  switch (answer.kind) {
    case 'accepted':
      return [pushAccepted(answer)];
    case 'refused':
      return state.status === 'pending'
        ? [
            { type: 'RailPushRejected', data: { failureCode: answer.failureCode } },
            ...stillAsked(state, unansweredByDecline),
          ]
        : [];
    default:
      return assertNever(answer);
  }
}

/** That the rail took the push, whether its own answer or a later report says so. */
export function pushAccepted({
  railReference,
  merchantRequestId,
}: {
  readonly railReference: string;
  readonly merchantRequestId?: string;
}): RailPushAccepted {
  return {
    type: 'RailPushAccepted',
    data: { railReference, ...(merchantRequestId === undefined ? {} : { merchantRequestId }) },
  };
}
