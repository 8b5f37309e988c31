const maxLength = 64;

/** A name that a caller made up, as the detail of an error shows it: in quotes, cut where it is long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= maxLength ? name : `${name.slice(0, maxLength)}…`);
}
