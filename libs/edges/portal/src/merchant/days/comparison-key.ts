/** Returns the key of a day's comparison with the statement of one rail. */
export function comparisonKey(day: string, channel: string): string {
  return `${day} ${channel}`;
}
