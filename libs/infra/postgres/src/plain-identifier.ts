/** Checks that a name needs no quoting, so that it can be part of a statement or a connection option. */
export function plainIdentifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new RangeError(`not a plain name: ${name}`);
  return name;
}
