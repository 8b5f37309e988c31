import { type Minor } from '#domain/kernel';

const centsPerShilling = 100n;
/** Daraja writes whole amounts with a decimal point, too (`1.00`); more digits may only be zeros. */
const shillings = /^(\d{1,12})(?:\.(\d{1,2})0*)?$/;

/** An amount as Daraja takes it: `250`, or `250.50` where there are cents (the simulator alone takes those). */
export function toShillings(amount: Minor): string {
  const cents = amount % centsPerShilling;
  const whole = (amount / centsPerShilling).toString();
  return cents === 0n ? whole : `${whole}.${cents.toString().padStart(2, '0')}`;
}

/** An amount as Daraja writes it, digit by digit; undefined where the text is none, or has parts of a cent. */
export function fromShillings(text: string): Minor | undefined {
  const match = shillings.exec(text);
  if (!match) return undefined;
  const [, whole = '', cents = ''] = match;
  return BigInt(whole) * centsPerShilling + BigInt(cents.padEnd(2, '0'));
}
