import { hash } from 'node:crypto';
import { type Minor } from '#domain/kernel';
import { shillingsFromMinor } from '#shared/simulator';
import { compactTime } from './east-africa-time.js';
import type { PaidLine } from './payment.js';

/** The addresses for payments without a push, as they were registered. */
export interface C2bUrls {
  readonly version: 'v1' | 'v2';
  readonly confirmationUrl: string;
  readonly validationUrl: string;
  readonly responseType: 'Completed' | 'Cancelled';
}

/** The parts of a notice that do not follow from the payment. */
export interface NoticeWords extends Pick<C2bUrls, 'version'> {
  readonly shortCode: string;
  /** Undefined before the payment: a validation has no balance. */
  readonly balanceMinor: Minor | undefined;
  /** By the kind of the payment if absent. */
  readonly type?: 'Pay Bill' | 'Buy Goods' | 'Customer Merchant Payment';
}

/** The body of a confirmation or a validation: every member is a text, and a name may be empty. */
export function noticeBody(
  { receipt, paidAtMs, amountMinor, phone, way, account }: PaidLine,
  { version, shortCode, balanceMinor, type }: NoticeWords,
): string {
  return JSON.stringify({
    TransactionType: type ?? (way === 'pay_bill' ? 'Pay Bill' : 'Buy Goods'),
    TransID: receipt,
    TransTime: compactTime(paidAtMs),
    TransAmount: shillingsFromMinor(amountMinor),
    BusinessShortCode: shortCode,
    BillRefNumber: account,
    InvoiceNumber: '',
    OrgAccountBalance: balanceMinor === undefined ? '' : shillingsFromMinor(balanceMinor),
    ThirdPartyTransID: '',
    MSISDN:
      version === 'v1' ? hash('sha256', phone) : `${phone.slice(0, 4)} ***** ${phone.slice(-3)}`,
    FirstName: 'TEST',
    MiddleName: '',
    LastName: 'CUSTOMER',
  });
}
