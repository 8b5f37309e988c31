import { type Minor } from '#domain/kernel';
import { type MpesaRailSettings } from '#infra/runtime';
import { toEastAfricaDigits } from './east-africa-time.js';
import { toShillings } from './shillings.js';

export interface Prompt {
  /** International digits-only form. */
  readonly phone: string;
  readonly amountMinor: Minor;
  /** 12 characters at most. */
  readonly accountReference: string;
  readonly callbackUrl: string;
}

/** What the customer's phone shows beside the account reference: 13 characters at most. */
const transactionDescription = 'Payment';

type Merchant = Pick<MpesaRailSettings, 'shortcode' | 'passkey' | 'till'>;

/** The body of an STK push: to the till where there is one, else to the paybill. */
export function pushBody(merchant: Merchant, prompt: Prompt, nowMs: number): string {
  return JSON.stringify({
    ...proof(merchant, nowMs),
    TransactionType:
      merchant.till === undefined ? 'CustomerPayBillOnline' : 'CustomerBuyGoodsOnline',
    Amount: toShillings(prompt.amountMinor),
    PartyA: prompt.phone,
    PartyB: merchant.till ?? merchant.shortcode,
    PhoneNumber: prompt.phone,
    CallBackURL: prompt.callbackUrl,
    AccountReference: prompt.accountReference,
    TransactionDesc: transactionDescription,
  });
}

/** The body of a status query. */
export function queryBody(merchant: Merchant, checkoutRequestId: string, nowMs: number): string {
  return JSON.stringify({ ...proof(merchant, nowMs), CheckoutRequestID: checkoutRequestId });
}

function proof({ shortcode, passkey }: Merchant, nowMs: number) {
  const timestamp = toEastAfricaDigits(nowMs);
  return {
    BusinessShortCode: shortcode,
    Password: Buffer.from(shortcode + passkey + timestamp, 'utf8').toString('base64'),
    Timestamp: timestamp,
  };
}
