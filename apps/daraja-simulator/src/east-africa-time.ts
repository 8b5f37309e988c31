/** Kenya keeps UTC+3 all year round; it has no daylight saving. */
const offsetMs = 3 * 3_600_000;

/** Returns `YYYYMMDDHHmmss` in East Africa Time, as Daraja writes instants in its bodies. */
export function compactTime(ms: number): string {
  return new Date(ms + offsetMs).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '');
}

/** Returns `dd-mm-yyyy hh:mm:ss` in East Africa Time, as the organisation portal writes instants in statements. */
export function portalTime(ms: number): string {
  const text = new Date(ms + offsetMs).toISOString();
  return `${text.slice(8, 10)}-${text.slice(5, 7)}-${text.slice(0, 4)} ${text.slice(11, 19)}`;
}

/** True if the text is a real instant written `YYYYMMDDHHmmss`. */
export function isCompactTime(text: string): boolean {
  const match = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})$/.exec(text);
  if (match === null) return false;
  const [, year, month, day, hour, minute, second] = match;
  const iso = `${year ?? ''}-${month ?? ''}-${day ?? ''}T${hour ?? ''}:${minute ?? ''}:${second ?? ''}.000Z`;
  const ms = Date.parse(iso);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === iso;
}

/** Reads an instant written `YYYY-MM-DD HH:mm:ss` in East Africa Time, the form of Pull Transactions' bounds. */
export function instantOfPullDate(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text))
    return undefined;
  const ms = Date.parse(`${text.replace(' ', 'T')}.000Z`);
  return Number.isNaN(ms) ? undefined : ms - offsetMs;
}
