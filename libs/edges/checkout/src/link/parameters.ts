import { ok, type Result } from '#domain/kernel';
import { type QueryParameter } from '#shared/signing';
import { fault, type LinkFault } from './link-fault.js';

/** Longer than any address bar of the phones that we serve sends; a link is some 500 characters. */
export const maxQuery = 6144;

/** What a link is made of: which parameters it must have, which it may have, and how long their values may be. */
export interface Vocabulary<Name extends string> {
  readonly names: readonly Name[];
  /** Those of `names` that may be absent; absent is the same as empty. */
  readonly optional: ReadonlySet<Name>;
  readonly longest: Readonly<Partial<Record<Name, number>>>;
  /** Whether a parameter of another name makes it no link. */
  readonly closed: boolean;
}

/** Where nothing else is said of a parameter. */
const maxValue = 255;

/** Each parameter once: of one that is given twice nobody can say which was meant. */
export function valuesOf<Name extends string>(
  parameters: readonly QueryParameter[],
  { names, optional, longest, closed }: Vocabulary<Name>,
): Result<Readonly<Record<Name, string>>, LinkFault> {
  const known = new Set<string>(names);
  const values = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (!known.has(name)) {
      if (closed) return fault('malformed_link', 'a parameter is unknown');
      continue;
    }
    if (values.has(name)) return fault('malformed_link', `${name} is given twice`);
    values.set(name, value);
  }
  for (const name of names) {
    const value = values.get(name);
    if (value === undefined && !optional.has(name))
      return fault('malformed_link', `${name} is missing`);
    const max = longest[name] ?? maxValue;
    if (value !== undefined && value.length > max)
      return fault('oversized_link', `${name} has more than ${max} characters`);
  }
  const read = Object.fromEntries(names.map((name) => [name, values.get(name) ?? '']));
  return ok(read as Record<Name, string>);
}
