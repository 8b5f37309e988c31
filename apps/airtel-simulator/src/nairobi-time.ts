/** Kenya keeps UTC+3 all year round; it has no daylight saving. */
const offsetMs = 3 * 3_600_000;

/** Returns the digits of an instant in Nairobi, from the year to the second: `20261129143005`. */
export function nairobiDigits(ms: number): string {
  return new Date(ms + offsetMs).toISOString().slice(0, 19).replaceAll(/\D/g, '');
}

/** Returns `dd-mm-yyyy hh:mm:ss` in Nairobi, as `valid_upto` of Airtel's keys is written. */
export function nairobiTime(ms: number): string {
  const digits = nairobiDigits(ms);
  const part = (from: number, to: number): string => digits.slice(from, to);
  return (
    `${part(6, 8)}-${part(4, 6)}-${part(0, 4)} ` + `${part(8, 10)}:${part(10, 12)}:${part(12, 14)}`
  );
}
