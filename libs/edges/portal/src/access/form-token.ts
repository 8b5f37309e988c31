import { Problem } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { refusals } from './refusals.js';

/** The name of the field that holds a form's token. */
export const formTokenField = 'form_token';

const judges = new WeakMap<FastifyRequest, (token: string) => boolean>();

/**
 * Keeps the check of a form's token for the route. Only the guard calls it, for a form that it has not read because the
 * route reads it itself.
 * @param isOurs returns true if a page of the session gave this token
 */
export function leaveFormToken(request: FastifyRequest, isOurs: (token: string) => boolean): void {
  judges.set(request, isOurs);
}

/**
 * Checks the token of a form that the route reads itself.
 * @throws Problem stale_form; TypeError if the route does not read its form itself
 */
export function assertFormToken(request: FastifyRequest, token: string | undefined): void {
  const isOurs = judges.get(request);
  if (!isOurs) throw new TypeError('a route that reads no form itself asks for its token');
  if (token === undefined || !isOurs(token)) throw new Problem(refusals.stale_form);
}
