import { Problem } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { refusals } from './refusals.js';

/** The name of the field that holds a form's token. */
export const formTokenField = 'form_token';

const judges = new WeakMap<FastifyRequest, (token: string) => boolean>();

/**
 * For the guard alone: it has seen nothing of a form that its route reads itself.
 * @param isOurs whether a page of the session gave this token
 */
export function leaveFormToken(request: FastifyRequest, isOurs: (token: string) => boolean): void {
  judges.set(request, isOurs);
}

/** Of a form that its route reads itself. @throws Problem stale_form; TypeError for a route that reads none */
export function assertFormToken(request: FastifyRequest, token: string | undefined): void {
  const isOurs = judges.get(request);
  if (!isOurs) throw new TypeError('a route that reads no form itself asks for its token');
  if (token === undefined || !isOurs(token)) throw new Problem(refusals.stale_form);
}
