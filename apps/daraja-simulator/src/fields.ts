import { ok, refuse, type Result } from '#domain/kernel';
import { minorFromShillings } from '#shared/simulator';
import { isCompactTime } from './east-africa-time.js';
import { type Fault, faults, invalidField } from './faults.js';
import type { C2bUrls } from './c2b-notice.js';
import type { PushRequest } from './payment.js';

/** The merchant as the rail knows it. */
export interface Merchant {
  readonly shortcode: string;
  readonly passkey: string;
}

export type Rules<Name extends string> = readonly (readonly [Name, (text: string) => boolean])[];

export const shortcode = (text: string): boolean => /^\d{5,8}$/.test(text);
export const phone = (text: string): boolean => /^254[17]\d{8}$/.test(text);
const base64 = (text: string): boolean => /^[A-Za-z0-9+/]{4,}={0,2}$/.test(text);
export const printable = (longest: number) => (text: string) =>
  text.length <= longest && /^[\x20-\x7e]+$/.test(text);

/** KES 1 to 250,000 a transaction. Unlike M-Pesa, this rail allows two decimals. */
export function amount(text: string): boolean {
  const minor = minorFromShillings(text);
  return minor !== undefined && minor >= 1n && minor <= 25_000_000n;
}

/** Safaricom reportedly refuses URLs that contain these words. */
const refusedWords = /mpesa|m-pesa|safaricom|exe|cmd|sql|query/i;

export function callbackUrl(text: string): boolean {
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

const registrationRules = [
  ['ShortCode', shortcode],
  ['ResponseType', (text) => text === 'Completed' || text === 'Cancelled'],
  ['ConfirmationURL', callbackUrl],
  ['ValidationURL', callbackUrl],
] as const satisfies Rules<string>;

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
export function readEach<Name extends string>(
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
