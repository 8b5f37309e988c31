/** Formats a count as Kenyans write it, in both languages: `4,532`. */
const format = new Intl.NumberFormat('en-KE');

export function countText(count: number | bigint): string {
  return format.format(count);
}
