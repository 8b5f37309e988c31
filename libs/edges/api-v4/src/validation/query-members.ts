import { rawQuery, RawQuery } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';

/**
 * The parameters of a query by name. A parameter that stands twice becomes an array, which no field's rule
 * accepts; so a field's own error answers where it has one (`invalid_cursor`), and here only what has none.
 * @param known the names of the route's parameters
 * @throws Problem invalid_request for an unknown parameter
 */
export function queryMembers(
  query: RawQuery,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  const parameters = query.parameters();
  // The signature covers the query, so what cannot be read was refused before.
  if (!parameters.ok) throw problem('invalid_request');
  const members = new Map<string, string>();
  for (const [name, value] of parameters.value) {
    if (!known.includes(name))
      throw problem('invalid_request', {
        detail: `${quoted(name)} is not a parameter of this call.`,
      });
    if (members.has(name) && name !== 'cursor')
      throw problem('invalid_request', { detail: `${name} must be given once.` });
    members.set(name, members.has(name) ? repeated : value);
  }
  return Object.fromEntries(members);
}

/** For a call that has no parameters. @throws Problem invalid_request that names the one that is there */
export function requireNoQuery(request: FastifyRequest): void {
  const raw = rawQuery(request);
  if (raw !== '') queryMembers(new RawQuery(raw), []);
}

/** A repeated cursor is answered as a malformed one (LIST-4), and this is none. */
const repeated = '';

const maxLength = 64;

/** A name that a caller made up, as the detail of an error shows it: in quotes, cut where it is long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= maxLength ? name : `${name.slice(0, maxLength)}…`);
}
