import { type Account } from '#domain/merchants';
import { stillAsked } from '#domain/reviews';
import { type PushAnswer, type RailAmount } from '#domain/rails';
import {
  type CollectionEvent,
  type CollectionIntentRecorded,
  type Origin,
  type RailPushAccepted,
} from '../collection.events.js';
import { assertNever, type Minor, type PhoneTraces } from '#domain/kernel';
import { type Collection, type Intent } from '../collection.js';
import { intentRecorded } from './intent-recorded.js';
import { unansweredByDecline } from '../review/unanswered.js';

/** Turns a phone number into its traces, with a key that is made once and never rotated. */
export abstract class PhoneVault {
  abstract tracesOf(phone: string): PhoneTraces;
}

/** A collection as an edge has validated it; `account` was looked up among the merchant's own. */
export interface CollectionDetails {
  readonly account: Account;
  /** `254` then 7 or 1 and eight digits. */
  readonly phone: string;
  readonly amountMinor: RailAmount;
  /** The rail to use. */
  readonly channel: string;
  readonly reference: string;
  readonly origin: Origin;
  readonly callbackUrl?: string;
}

/** The intent's event. */
export function decideInitiateCollection(
  { account, amountMinor, channel, reference, origin, callbackUrl }: CollectionDetails,
  { accountReference, phoneHmac, phoneMasked }: PhoneTraces & { readonly accountReference: string },
): readonly [CollectionIntentRecorded] {
  return [
    intentRecorded(account, {
      amountMinor,
      channel,
      reference,
      accountReference,
      phoneHmac,
      phoneMasked,
      origin,
      ...(callbackUrl === undefined ? {} : { callbackUrl }),
    }),
  ];
}

/** The last 60 bits of a version 7 UUID are random: twelve characters of `0-9A-V`, all that Daraja allows. */
export function accountReferenceFrom(uuid: string): string {
  const randomBits = BigInt(`0x${uuid.replaceAll('-', '').slice(-15)}`);
  return randomBits.toString(32).padStart(12, '0').toUpperCase();
}

/** A field in which a request may differ from the collection or payout whose reference it repeats. */
export type DifferingField = 'accountNo' | 'phone' | 'amountMinor' | 'currency' | 'channel';

/**
 * The fields in which a request differs from the collection or payout with its reference, in the order of the fields. The
 * phone is compared by its keyed digest.
 */
export function differencesFrom(
  {
    accountNo,
    phoneHmac,
    amountMinor,
    currency,
    channel,
  }: Pick<Intent, 'accountNo' | 'phoneHmac' | 'amountMinor' | 'currency' | 'channel'>,
  request: Pick<CollectionDetails, 'account'> & {
    readonly amountMinor: Minor;
    /** Undefined if the request names no number. */
    readonly phoneHmac: string | undefined;
    readonly channel: string;
  },
): readonly DifferingField[] {
  const same: Readonly<Record<DifferingField, boolean>> = {
    accountNo: accountNo === request.account.accountNo,
    phone: phoneHmac === request.phoneHmac,
    amountMinor: amountMinor === request.amountMinor,
    currency: currency === request.account.currency,
    channel: channel === request.channel,
  };
  return (Object.keys(same) as DifferingField[]).filter((field) => !same[field]);
}

/**
 * The events that follow from the rail's answer to the push. An answer after the callback still brings the rail's
 * reference. A refusal after money arrived changes nothing, and a late refusal closes no open question about other
 * money.
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

/** The rail accepted the push, by its own answer or by a later report. */
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
