import { feeFor } from '#domain/ledger';
import { type Account } from '#domain/merchants';
import { type CollectionIntentRecorded, type Origin } from '../collection.events.js';
import { type PhoneTraces } from '../phone-vault.js';
import { type RailAmount } from '../rail.js';

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
