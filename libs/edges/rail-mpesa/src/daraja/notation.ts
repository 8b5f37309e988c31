import { type Instant, instantFromMs, type Minor } from '#domain/kernel';
import { eastAfricaOffsetMs, msOfEastAfricaTime } from '#edges/rails';

const centsPerShilling = 100n;
/** Daraja also writes whole amounts with a decimal point (`1.00`). Further digits may only be zeros. */
const shillings = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/;

/**
 * Returns an amount in the form that Daraja takes: `250`, or `250.50` if there are cents (only the simulator takes
 * those).
 */
export function toShillings(amount: Minor): string {
  const cents = amount % centsPerShilling;
  const whole = (amount / centsPerShilling).toString();
  return cents === 0n ? whole : `${whole}.${cents.toString().padStart(2, '0')}`;
}

/** Reads an amount of Daraja's digit by digit. Returns undefined if the text is none, or has parts of a cent. */
export function fromShillings(text: string): Minor | undefined {
  const match = shillings.exec(text);
  if (!match) return undefined;
  const [, whole = '', cents = ''] = match;
  return BigInt(whole) * centsPerShilling + BigInt(cents.padEnd(2, '0'));
}

const receipt = /^[A-Z0-9]{4,32}$/;

/**
 * Returns a receipt in capitals, as the rail and its statement print it, so that one payment never looks like two.
 * Returns undefined if the text is no receipt.
 */
export function railReceiptOf(text: string | undefined): string | undefined {
  const capitals = text?.trim().toUpperCase();
  return capitals !== undefined && receipt.test(capitals) ? capitals : undefined;
}

const digits = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/;

/**
 * Returns the timestamp that a request contains and its password covers.
 * @param ms milliseconds of the epoch
 * @returns `YYYYMMDDHHmmss` in East Africa Time
 */
export function toEastAfricaDigits(ms: number): string {
  return toEastAfricaTime(ms).replace(/[- :]/g, '');
}

/**
 * Returns `YYYY-MM-DD HH:mm:ss` in East Africa Time, the form of the bounds in a question about a time range's
 * payments.
 */
export function toEastAfricaTime(ms: number): string {
  return instantFromMs(ms + eastAfricaOffsetMs)
    .slice(0, 19)
    .replace('T', ' ');
}

/**
 * Reads the rail's own time of a payment. Returns undefined if the text is no such time, an impossible date included.
 */
export function fromEastAfricaDigits(text: string): Instant | undefined {
  const match = digits.exec(text);
  const ms = match ? msOfEastAfricaTime(match.slice(1)) : undefined;
  return ms === undefined ? undefined : instantFromMs(ms);
}
