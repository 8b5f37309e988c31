import { type Minor } from '#domain/kernel';
import { type Callback, isObject, memberObject, parseBytes, railIdOf, textOf } from '#edges/rails';
import { resultOf } from './codes.js';
import { fromEastAfricaDigits, fromShillings, railReceiptOf } from './notation.js';

/**
 * Reads the body of an STK callback; returns undefined if it is none.
 * - Members that say nothing about the payment may be missing, and so may an item's value.
 * - A success without a valid amount is marked: it may not count as a payment of the requested amount, but its receipt
 *   and date are read (RAIL-9).
 * - An invalid date leaves out only the date.
 */
export function readCallback(bytes: Uint8Array): Callback | undefined {
  const callback = memberObject(memberObject(parseBytes(bytes), 'Body'), 'stkCallback');
  if (!callback) return undefined;
  const railReference = railIdOf(callback, 'CheckoutRequestID');
  const resultCode = textOf(callback, 'ResultCode');
  if (railReference === undefined || resultCode === undefined) return undefined;
  const merchantRequestId = railIdOf(callback, 'MerchantRequestID');
  return {
    railReference,
    ...(merchantRequestId === undefined ? {} : { merchantRequestId }),
    ...verdictIn(resultCode, memberObject(callback, 'CallbackMetadata')),
  };
}

function verdictIn(
  resultCode: string,
  metadata: Readonly<Record<string, unknown>> | undefined,
): Pick<Callback, 'verdict' | 'isAmountUnreadable'> {
  const result = resultOf(resultCode);
  if (result.kind !== 'paid') return { verdict: result };
  const items = itemsOf(metadata);
  const amountMinor = amountOf(items.get('Amount'));
  const receipt = railReceiptOf(items.get('MpesaReceiptNumber'));
  const paidAt = fromEastAfricaDigits(items.get('TransactionDate') ?? '');
  const verdict = {
    ...result,
    ...(receipt === undefined ? {} : { receipt }),
    ...(amountMinor === undefined ? {} : { amountMinor }),
    ...(paidAt === undefined ? {} : { paidAt }),
  };
  return amountMinor === undefined ? { verdict, isAmountUnreadable: true } : { verdict };
}

function amountOf(text: string | undefined): Minor | undefined {
  const amount = text === undefined ? undefined : fromShillings(text);
  return amount === undefined || amount <= 0n ? undefined : amount;
}

/** Returns the items that have a value, by name. If a name appears twice, the first counts. */
function itemsOf(metadata: Readonly<Record<string, unknown>> | undefined): Map<string, string> {
  const items = new Map<string, string>();
  const list = metadata?.['Item'];
  for (const item of Array.isArray(list) ? (list as unknown[]) : []) {
    if (!isObject(item)) continue;
    const name = textOf(item, 'Name');
    const value = textOf(item, 'Value');
    if (name !== undefined && value !== undefined && !items.has(name)) items.set(name, value);
  }
  return items;
}
