/** Names are merchants' own: nothing of a text is markup. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const digits = new Intl.NumberFormat('en');

/** With a separator for thousands. */
export function count(value: number): string {
  return digits.format(value);
}
