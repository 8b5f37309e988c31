import { type Minor } from '#domain/kernel';

/** The market, as every message names it. */
export interface Market {
  /** ISO 3166 alpha-2. */
  readonly country: string;
  /** ISO 4217. */
  readonly currency: string;
}

/** Returns the headers that name the market. */
export function marketHeaders({ country, currency }: Market): Readonly<Record<string, string>> {
  return { 'x-country': country, 'x-currency': currency };
}

interface Push {
  readonly id: string;
  /** International digits-only form. */
  readonly phone: string;
  readonly amountMinor: Minor;
}

/** Returns the body of a push. Airtel takes numbers without the country's prefix, and amounts as JSON numbers. */
export function pushBody({ country, currency }: Market, { id, phone, amountMinor }: Push): string {
  const subscriber = JSON.stringify({ country, currency, msisdn: localNumber(phone) });
  const terms = JSON.stringify({ country, currency, id });
  const transaction = `{"amount":${toMajor(amountMinor)},${terms.slice(1)}`;
  return `{"reference":"${id}","subscriber":${subscriber},"transaction":${transaction}}`;
}

interface Order {
  readonly id: string;
  /** International digits-only form. */
  readonly phone: string;
  readonly amountMinor: Minor;
  /** Encrypted to Airtel's key. */
  readonly pin: string;
}

/** Returns the body of a payout to a customer. */
export function orderBody({ currency }: Market, { id, phone, amountMinor, pin }: Order): string {
  const payee = JSON.stringify({ currency, msisdn: localNumber(phone) });
  const transaction = `{"amount":${toMajor(amountMinor)},"id":"${id}","type":"B2C"}`;
  return `{"payee":${payee},"reference":"${id}","pin":${JSON.stringify(pin)},"transaction":${transaction}}`;
}

export function tokenBody(clientId: string, clientSecret: string): string {
  return JSON.stringify({
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
  });
}

const countryDigits = 3;

function localNumber(phone: string): string {
  return phone.slice(countryDigits);
}

const minorPerMajor = 100n;

/** Returns an amount as a JSON number: `250`, or `250.5` if there are cents. Its text is exact, digit by digit. */
function toMajor(amount: Minor): string {
  const whole = (amount / minorPerMajor).toString();
  const cents = amount % minorPerMajor;
  if (cents === 0n) return whole;
  return `${whole}.${cents.toString().padStart(2, '0').replace(/0$/, '')}`;
}
