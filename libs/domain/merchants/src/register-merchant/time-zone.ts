/**
 * The name of a time zone in IANA's database; undefined for anything else. Offsets such as `+03:00` are none: the
 * language takes them, Postgres reads them with their sign turned, and neither knows a summer time for them.
 */
export function ianaTimeZone(text: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * What Postgres is told for a merchant's time zone. Histories hold offsets that were taken once, meant east of
 * Greenwich as ISO 8601 writes them; POSIX, which Postgres follows, counts west.
 */
export function postgresTimeZone(timezone: string): string {
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(timezone);
  if (!offset) return timezone;
  const [, sign, hours, minutes] = offset as unknown as [string, '+' | '-', string, string];
  return `<${sign}${hours}${minutes}>${sign === '+' ? '-' : '+'}${hours}:${minutes}`;
}
