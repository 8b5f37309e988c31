import { expectedReferencePattern } from '#domain/collections';
import { type Minor } from '#domain/kernel';
import { isCode, parseBytes, partyOfNumber, type PaymentNotice, textOf } from '#edges/rails';
import { fromEastAfricaDigits, fromShillings, railReceiptOf } from './notation.js';

/**
 * Reads a confirmation or a validation of a customer's payment (C2B); both have the same members. Returns undefined if
 * the body is none, or has no receipt, amount or time that can be read: then nothing is posted on it, and the rail's list
 * has the payment.
 */
export function readNotice(bytes: Uint8Array): PaymentNotice | undefined {
  const body = parseBytes(bytes);
  if (!body) return undefined;
  const receipt = railReceiptOf(textOf(body, 'TransID'));
  const amountMinor = amountOf(textOf(body, 'TransAmount'));
  const paidAt = fromEastAfricaDigits(textOf(body, 'TransTime') ?? '');
  const shortCode = textOf(body, 'BusinessShortCode');
  if (receipt === undefined || amountMinor === undefined || paidAt === undefined) return undefined;
  if (shortCode === undefined) return undefined;
  const party = partyOfNumber(textOf(body, 'MSISDN') ?? '');
  return {
    shortCode,
    payment: {
      receipt,
      amountMinor,
      paidAt,
      ...accountIn(textOf(body, 'BillRefNumber') ?? ''),
      ...(party === undefined ? {} : { party }),
    },
  };
}

function amountOf(text: string | undefined): Minor | undefined {
  const amount = text === undefined ? undefined : fromShillings(text);
  return amount === undefined || amount <= 0n ? undefined : amount;
}

/** An account number and an expected payment's reference, as the merchant showed them to the customer. */
const numberAndReference = /^(\d{1,32})\s+(\S+)$/;
/** An account number, and after a separator anything that the customer added, such as an invoice. */
const numberFirst = /^(\d{1,32})(?:[^0-9A-Za-z]+(.*))?$/;

/**
 * Reads the account that a customer typed: a code of ours, or an account number, with spaces or with a reference after
 * it. Any other text is left out, because it may name a person. So is a phone number, whose form no account has.
 */
export function accountIn(
  text: string,
): Pick<PaymentNotice['payment'], 'code' | 'accountNo' | 'reference'> {
  const [, shownNo, shown = ''] = numberAndReference.exec(text.trim().toUpperCase()) ?? [];
  if (shownNo !== undefined && expectedReferencePattern.test(shown))
    return { accountNo: shownNo, reference: shown };
  const bare = text.replace(/\s/g, '').toUpperCase();
  if (/^(?:254|0)[17]\d{8}$/.test(bare)) return {};
  if (/^\d{1,32}$/.test(bare)) return { accountNo: bare, ...(isCode(bare) ? { code: bare } : {}) };
  if (isCode(bare)) return { code: bare };
  const [, accountNo, rest = ''] = numberFirst.exec(text.trim()) ?? [];
  if (accountNo === undefined) return {};
  const reference = rest.replace(/\s/g, '').toUpperCase();
  return { accountNo, ...(expectedReferencePattern.test(reference) ? { reference } : {}) };
}
