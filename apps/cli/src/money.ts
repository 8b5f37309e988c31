/**
 * An amount as people and statements write it, and as commands take it: `KES 250.00 (25000)`.
 * @param currency ISO 4217
 */
export function money(amountMinor: bigint, currency: string): string {
  const { maximumFractionDigits: decimals = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  const digits = amountMinor
    .toString()
    .replace('-', '')
    .padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const sign = amountMinor < 0n ? '-' : '';
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`;
  return `${currency} ${sign}${text} (${amountMinor.toString()})`;
}
