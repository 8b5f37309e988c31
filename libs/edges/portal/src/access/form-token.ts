import { Problem } from '#shared/http';
import { type FastifyRequest } from 'fastify';
import { refusals } from './refusals.js';

/** The name of the field that holds a form's token. */
export const formTokenField = 'form_token';

/** The checks of a form that its route reads itself. */
interface FormJudge {
  /** True if a page of the session gave this token. */
  readonly isOurs: (token: string) => boolean;
  /**
   * Judges the sender again, now that the form is read.
   * @throws Problem; DependencyUnavailable
   */
  readonly judgeAgain: () => Promise<void>;
}

const judges = new WeakMap<FastifyRequest, FormJudge>();

/**
 * Keeps the checks of a form for the route. Only the guard calls it, for a form that it has not read because the route
 * reads it itself.
 */
export function leaveForm(request: FastifyRequest, judge: FormJudge): void {
  judges.set(request, judge);
}

/**
 * Checks the token of a form that the route has read itself, and its sender once more: they may have lost the session or
 * the role while they sent it.
 * @throws Problem stale_form, sign_in_required, forbidden; DependencyUnavailable; TypeError if the route does not read its
 *   form itself
 */
export async function assertForm(
  request: FastifyRequest,
  token: string | undefined,
): Promise<void> {
  const judge = judges.get(request);
  if (!judge) throw new TypeError('a route that reads no form itself asks for its token');
  if (token === undefined || !judge.isOurs(token)) throw new Problem(refusals.stale_form);
  await judge.judgeAgain();
}
