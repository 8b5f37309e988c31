import { ok, refuse, type Result } from '#domain/kernel';
import { minorFromShillings } from './amount.js';
import { isCompactTime } from './east-africa-time.js';
import { type Fault, faults, invalidField } from './faults.js';
import type { C2bUrls } from './memory.js';
import type { PushRequest } from './payment.js';
import type { PayoutRequest } from './payout.js';

/** The merchant as the rail knows it. */
export interface Merchant {
  readonly shortcode: string;
  readonly passkey: string;
}

/** The sender of payouts as the rail knows it. */
export interface Payer {
  readonly b2cShortcode: string;
  readonly initiator: string;
  readonly securityCredential: string;
}

type Rules<Name extends string> = readonly (readonly [Name, (text: string) => boolean])[];

const shortcode = (text: string): boolean => /^\d{5,8}$/.test(text);
const phone = (text: string): boolean => /^254[17]\d{8}$/.test(text);
/** The length limit is the longest id in M-Pesa's own documents. */
const newConversationId = (text: string): boolean => /^[A-Za-z0-9_-]{1,36}$/.test(text);
const conversationId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);
const base64 = (text: string): boolean => /^[A-Za-z0-9+/]{4,}={0,2}$/.test(text);
const printable = (longest: number) => (text: string) =>
  text.length <= longest && /^[\x20-\x7e]+$/.test(text);

/** KES 1 to 250,000 a transaction. Unlike M-Pesa, this rail allows two decimals. */
function amount(text: string): boolean {
  const minor = minorFromShillings(text);
  return minor !== undefined && minor >= 1n && minor <= 25_000_000n;
}

/** Safaricom reportedly refuses URLs that contain these words. */
const refusedWords = /mpesa|m-pesa|safaricom|exe|cmd|sql|query/i;

function callbackUrl(text: string): boolean {
  return /^https?:\/\/[^\s]{3,2000}$/.test(text) && URL.canParse(text) && !refusedWords.test(text);
}

const credentials = [
  ['BusinessShortCode', shortcode],
  ['Password', base64],
  ['Timestamp', isCompactTime],
] as const;

const pushRules = [
  ...credentials,
  ['TransactionType', (text) => /^Customer(PayBill|BuyGoods)Online$/.test(text)],
  ['Amount', amount],
  ['PartyA', phone],
  ['PartyB', shortcode],
  ['PhoneNumber', phone],
  ['CallBackURL', callbackUrl],
  ['AccountReference', printable(12)],
  ['TransactionDesc', printable(13)],
] as const satisfies Rules<string>;

const queryRules = [
  ...credentials,
  ['CheckoutRequestID', (text) => /^ws_CO_\w{1,60}$/.test(text)],
] as const satisfies Rules<string>;

const payoutRules = [
  ['OriginatorConversationID', newConversationId],
  ['InitiatorName', printable(100)],
  ['SecurityCredential', printable(2000)],
  ['CommandID', (text) => /^(?:Business|Salary|Promotion)Payment$/.test(text)],
  ['Amount', amount],
  ['PartyA', shortcode],
  ['PartyB', phone],
  ['Remarks', printable(100)],
  ['QueueTimeOutURL', callbackUrl],
  ['ResultURL', callbackUrl],
  ['Occassion', printable(100)],
] as const satisfies Rules<string>;

const registrationRules = [
  ['ShortCode', shortcode],
  ['ResponseType', (text) => text === 'Completed' || text === 'Cancelled'],
  ['ConfirmationURL', callbackUrl],
  ['ValidationURL', callbackUrl],
] as const satisfies Rules<string>;

const questionRules = (commandId: string) =>
  [
    ['Initiator', printable(100)],
    ['SecurityCredential', printable(2000)],
    ['CommandID', (text: string) => text === commandId],
    ['PartyA', shortcode],
    ['IdentifierType', (text: string) => text === '4'],
    ['Remarks', printable(100)],
    ['QueueTimeOutURL', callbackUrl],
    ['ResultURL', callbackUrl],
  ] as const satisfies Rules<string>;

const statusRules = [
  ...questionRules('TransactionStatusQuery'),
  ['OriginalConversationID', conversationId],
] as const satisfies Rules<string>;

/** Reads a payout. Daraja checks its fields first and the sender second. */
export function readPayout(body: unknown, payer: Payer): Result<PayoutRequest, Fault> {
  const read = readEach(body, payoutRules);
  if (!read.ok) return read;
  const fields = read.value;
  const { PartyA, InitiatorName, SecurityCredential } = fields;
  const fault = payerFault(payer, [PartyA, InitiatorName, SecurityCredential]);
  if (fault) return refuse(fault);
  return ok({
    originatorConversationId: fields.OriginatorConversationID,
    amountMinor: (minorFromShillings(fields.Amount) ?? 0n).toString(),
    phone: fields.PartyB,
    resultUrl: fields.ResultURL,
  });
}

/** Reads a status query about a payout. */
export function readStatusQuestion(
  body: unknown,
  payer: Payer,
): Result<Pick<PayoutRequest, 'originatorConversationId' | 'resultUrl'>, Fault> {
  const read = readEach(body, statusRules);
  if (!read.ok) return read;
  const { PartyA, Initiator, SecurityCredential, ResultURL, OriginalConversationID } = read.value;
  const fault = payerFault(payer, [PartyA, Initiator, SecurityCredential]);
  if (fault) return refuse(fault);
  return ok({ originatorConversationId: OriginalConversationID, resultUrl: ResultURL });
}

/** Reads a registration of addresses for payments without a push. */
export function readRegistration(
  body: unknown,
  merchant: Pick<Merchant, 'shortcode'>,
): Result<Omit<C2bUrls, 'version'>, Fault> {
  const read = readEach(body, registrationRules);
  if (!read.ok) return read;
  const { ShortCode, ResponseType, ConfirmationURL, ValidationURL } = read.value;
  if (ShortCode !== merchant.shortcode) return refuse(faults.unknownMerchant);
  return ok({
    confirmationUrl: ConfirmationURL,
    validationUrl: ValidationURL,
    responseType: ResponseType === 'Cancelled' ? 'Cancelled' : 'Completed',
  });
}

/**
 * Reads a query of the balance.
 * @returns its ResultURL
 */
export function readBalanceQuestion(body: unknown, payer: Payer): Result<string, Fault> {
  const read = readEach(body, questionRules('AccountBalance'));
  if (!read.ok) return read;
  const { PartyA, Initiator, SecurityCredential, ResultURL } = read.value;
  const fault = payerFault(payer, [PartyA, Initiator, SecurityCredential]);
  return fault ? refuse(fault) : ok(ResultURL);
}

function payerFault(
  payer: Payer,
  [partyA, initiator, credential]: readonly [string, string, string],
): Fault | undefined {
  if (partyA !== payer.b2cShortcode) return faults.unknownMerchant;
  const isKnown = initiator === payer.initiator && credential === payer.securityCredential;
  return isKnown ? undefined : faults.wrongCredentials;
}

/** Reads a push. Daraja checks its fields first and the merchant second. */
export function readPush(body: unknown, merchant: Merchant): Result<PushRequest, Fault> {
  const read = readFields(body, pushRules, merchant);
  if (!read.ok) return read;
  const fields = read.value;
  return ok({
    transactionType: fields.TransactionType as PushRequest['transactionType'],
    amountMinor: (minorFromShillings(fields.Amount) ?? 0n).toString(),
    phone: fields.PhoneNumber,
    callbackUrl: fields.CallBackURL,
    accountReference: fields.AccountReference,
  });
}

/**
 * Reads a query.
 * @returns its CheckoutRequestID
 */
export function readQuery(body: unknown, merchant: Merchant): Result<string, Fault> {
  const read = readFields(body, queryRules, merchant);
  return read.ok ? ok(read.value.CheckoutRequestID) : read;
}

/** Reads the fields and checks the merchant's password. */
function readFields<Name extends string>(
  body: unknown,
  rules: Rules<Name | 'BusinessShortCode' | 'Password' | 'Timestamp'>,
  merchant: Merchant,
): Result<Record<Name | 'BusinessShortCode' | 'Password' | 'Timestamp', string>, Fault> {
  const read = readEach(body, rules);
  if (!read.ok) return read;
  const { BusinessShortCode, Password, Timestamp } = read.value as Record<
    'BusinessShortCode' | 'Password' | 'Timestamp',
    string
  >;
  if (BusinessShortCode !== merchant.shortcode) return refuse(faults.unknownMerchant);
  const password = Buffer.from(BusinessShortCode + merchant.passkey + Timestamp).toString('base64');
  if (Password !== password) return refuse(faults.wrongCredentials);
  return read;
}

/** Checks each field by its rule, in order. A number counts as its text, as at Daraja. */
function readEach<Name extends string>(
  body: unknown,
  rules: Rules<Name>,
): Result<Record<Name, string>, Fault> {
  if (typeof body !== 'object' || body === null) return refuse(faults.invalidPayload);
  const fields: Record<string, string> = {};
  for (const [name, isValid] of rules) {
    const value = (body as Record<string, unknown>)[name];
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || !isValid(text)) return refuse(invalidField(name));
    fields[name] = text;
  }
  return ok(fields as Record<Name, string>);
}
