import { feeFor } from '#domain/ledger';
import { type Account } from '#domain/merchants';
import { type CollectionIntentRecorded } from '../collection.events.js';

/** The fields of an intent that do not follow from its account. */
type OwnFields = Omit<
  CollectionIntentRecorded['data'],
  'merchantId' | 'mode' | 'accountNo' | 'currency' | 'feeMinor'
>;

/** The intent's event, with its fee fixed by the account's current schedule (FEE-2). */
export function intentRecorded(
  { merchantId, mode, accountNo, currency, feeSchedule }: Account,
  { amountMinor, ...fields }: OwnFields,
): CollectionIntentRecorded {
  const feeMinor = feeFor(feeSchedule, amountMinor);
  return {
    type: 'CollectionIntentRecorded',
    data: { merchantId, mode, accountNo, currency, amountMinor, feeMinor, ...fields },
  };
}
