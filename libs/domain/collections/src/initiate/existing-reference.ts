import { type Minor, type Result } from '#domain/kernel';
import { type Intent } from '../collection.js';
import { type Initiated, type InitiateRefusal } from './initiate-collection.command.js';
import { type CollectionDetails } from './initiate-collection.decide.js';

/** A field in which a request may differ from the collection whose reference it repeats. */
export type DifferingField = 'accountNo' | 'phone' | 'amountMinor' | 'currency';

/**
 * In which fields a request is not the collection that has its reference, in the order of the fields. The phone is
 * compared by its keyed digest, which is all that history knows of it. There is one channel, so it cannot differ.
 */
export function differencesFrom(
  { accountNo, phoneHmac, amountMinor, currency }: Intent,
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

/** Whether the request recorded a new collection. One whose push the rail refused is recorded, too. */
export function isNewlyRecorded(result: Result<Initiated, InitiateRefusal>): boolean {
  return !result.ok || result.value.existing === undefined;
}
