import { type Minor } from '#domain/kernel';
import { type ReportAddresses } from '#edges/rails';
import { type MpesaPayoutSettings, type MpesaRailSettings } from '#infra/runtime';
import { toEastAfricaDigits, toEastAfricaTime, toShillings } from './notation.js';

export interface Prompt {
  /** International digits-only form. */
  readonly phone: string;
  readonly amountMinor: Minor;
  /** 12 characters at most. */
  readonly accountReference: string;
  readonly callbackUrl: string;
}

/** The text beside the account reference on the customer's phone: 13 characters at most. */
const transactionDescription = 'Payment';

type Merchant = Pick<MpesaRailSettings, 'shortcode' | 'passkey' | 'till'>;

/** Returns the body of an STK push, to the till if there is one, else to the paybill. */
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

/** Returns the body of a status query. */
export function queryBody(merchant: Merchant, checkoutRequestId: string, nowMs: number): string {
  return JSON.stringify({ ...proof(merchant, nowMs), CheckoutRequestID: checkoutRequestId });
}

/** A payout: the customer's number in digits, and our own name for the payment. */
export interface Payment extends ReportAddresses {
  readonly originatorConversationId: string;
  readonly phone: string;
  readonly amountMinor: Minor;
}

const remarks = 'Payout';
/** PartyA is a short code. */
const shortcodeIdentifier = '4';

export function paymentBody(payer: MpesaPayoutSettings, payment: Payment): string {
  return JSON.stringify({
    OriginatorConversationID: payment.originatorConversationId,
    InitiatorName: payer.initiator,
    SecurityCredential: payer.securityCredential,
    CommandID: 'BusinessPayment',
    Amount: toShillings(payment.amountMinor),
    PartyA: payer.shortcode,
    PartyB: payment.phone,
    Remarks: remarks,
    QueueTimeOutURL: payment.timeoutUrl,
    ResultURL: payment.resultUrl,
    // As the rail spells it.
    Occassion: remarks,
  });
}

/** The reversal of a customer's payment: its receipt, and the whole amount. */
export interface Reversal extends ReportAddresses {
  readonly reverses: string;
  readonly amountMinor: Minor;
}

/** The type of a short code that receives, as the reversal names it. */
const receiverIdentifier = '11';

/** Returns the body of a reversal. It has no place for a name of ours: the rail's answer names it. */
export function reversalBody(merchant: Merchant, payer: MpesaPayoutSettings, of: Reversal): string {
  return JSON.stringify({
    Initiator: payer.initiator,
    SecurityCredential: payer.securityCredential,
    CommandID: 'TransactionReversal',
    TransactionID: of.reverses,
    Amount: toShillings(of.amountMinor),
    ReceiverParty: takingShortCode(merchant),
    // As the rail spells it.
    RecieverIdentifierType: receiverIdentifier,
    ResultURL: of.resultUrl,
    QueueTimeOutURL: of.timeoutUrl,
    Remarks: 'Refund',
  });
}

/** Returns the short code that customers pay. */
export function takingShortCode({ shortcode, till }: Pick<Merchant, 'shortcode' | 'till'>): string {
  return till ?? shortcode;
}

/** A question for the outcome of an order, by the name that the rail knows it by. */
export interface PaymentQuestion extends ReportAddresses {
  readonly originatorConversationId: string;
  /** True if the order was a reversal; if absent, it was none. */
  readonly isReversal?: boolean;
}

/** Returns the body of a question for the outcome of a payout. */
export function paymentQueryBody(
  payer: MpesaPayoutSettings,
  asked: Omit<PaymentQuestion, 'isReversal'>,
): string {
  return JSON.stringify({
    ...questionOf(payer, 'TransactionStatusQuery', asked),
    // Daraja 3.0 uses this name; earlier versions used the same name as in the order.
    OriginalConversationID: asked.originatorConversationId,
    OriginatorConversationID: asked.originatorConversationId,
    Occasion: remarks,
  });
}

/** A question about a transaction by its receipt. */
export interface ReceiptQuestion extends ReportAddresses {
  readonly receipt: string;
}

/** Returns the body of a question about a payment to the short code that customers pay. */
export function receiptQueryBody(
  merchant: Pick<Merchant, 'shortcode' | 'till'>,
  payer: MpesaPayoutSettings,
  asked: ReceiptQuestion,
): string {
  const asker = { ...payer, shortcode: takingShortCode(merchant) };
  return JSON.stringify({
    ...questionOf(asker, 'TransactionStatusQuery', asked),
    TransactionID: asked.receipt,
    Occasion: 'Payment',
  });
}

/** Asks for the payments that the short code took in a time range. */
export function pullBody(
  merchant: Pick<Merchant, 'shortcode' | 'till'>,
  page: { readonly fromMs: number; readonly untilMs: number; readonly offset: number },
): string {
  return JSON.stringify({
    ShortCode: takingShortCode(merchant),
    StartDate: toEastAfricaTime(page.fromMs),
    EndDate: toEastAfricaTime(page.untilMs),
    // As the rail spells it.
    OffSetValue: page.offset.toString(),
  });
}

/** Asks for the balances of the short code's accounts. */
export function balanceBody(payer: MpesaPayoutSettings, addresses: ReportAddresses): string {
  return JSON.stringify(questionOf(payer, 'AccountBalance', addresses));
}

function questionOf(
  payer: MpesaPayoutSettings,
  commandId: string,
  { resultUrl, timeoutUrl }: ReportAddresses,
) {
  return {
    Initiator: payer.initiator,
    SecurityCredential: payer.securityCredential,
    CommandID: commandId,
    PartyA: payer.shortcode,
    IdentifierType: shortcodeIdentifier,
    ResultURL: resultUrl,
    QueueTimeOutURL: timeoutUrl,
    Remarks: remarks,
  };
}

function proof({ shortcode, passkey }: Merchant, nowMs: number) {
  const timestamp = toEastAfricaDigits(nowMs);
  return {
    BusinessShortCode: shortcode,
    Password: Buffer.from(shortcode + passkey + timestamp, 'utf8').toString('base64'),
    Timestamp: timestamp,
  };
}
