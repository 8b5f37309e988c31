const digits = new Intl.NumberFormat('en');

/** With a separator for thousands. */
export function count(value: number): string {
  return digits.format(value);
}
