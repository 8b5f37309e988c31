import { ok, type Result } from '#domain/kernel';
import { type QueryParameter } from '#shared/signing';
import { fault, type LinkFault } from './link-fault.js';

/** Longer than the address bars of the phones that we serve can send. A link has some 500 characters. */
export const maxQuery = 6144;

/** The form of a link: its required and optional parameters, and the maximum lengths of their values. */
export interface Vocabulary<Name extends string> {
  readonly names: readonly Name[];
  /** Those of `names` that may be absent. Absent is the same as empty. */
  readonly optional: ReadonlySet<Name>;
  readonly longest: Readonly<Partial<Record<Name, number>>>;
  /** True if a parameter with another name makes the link invalid. */
  readonly closed: boolean;
}

/** The maximum length if none is given for a parameter. */
const maxValue = 255;

/** Returns the parameters' values. Each may appear once: if one appears twice, either may be the intended one. */
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
