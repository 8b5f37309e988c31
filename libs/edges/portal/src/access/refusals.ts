import { Injectable } from '@nestjs/common';
import { Metrics } from '#infra/runtime';
import { type HttpError, httpErrors, Problem } from '#shared/http';

/** Reasons for which the portal refuses a request. The code is in logs and metrics, and picks the page's text. */
export const refusals = {
  sign_in_required: { status: 401, code: 'sign_in_required' },
  forbidden: { status: 403, code: 'forbidden' },
  no_role: { status: 403, code: 'no_role' },
  suspended: { status: 403, code: 'suspended' },
  other_site: { status: 403, code: 'other_site' },
  other_person: { status: 403, code: 'other_person' },
  stale_form: { status: 403, code: 'stale_form' },
  stale_confirmation: { status: 403, code: 'stale_confirmation' },
  sign_in_failed: { status: 403, code: 'sign_in_failed' },
  sign_in_denied: { status: 403, code: 'sign_in_denied' },
  sign_in_misconfigured: { status: 403, code: 'sign_in_misconfigured' },
  weak_proof: { status: 403, code: 'weak_proof' },
  too_many_requests: { status: 429, code: 'too_many_requests' },
  selection: { status: 422, code: 'selection' },
  changed: { status: 409, code: 'changed' },
  new_admin_announced: { status: 409, code: 'new_admin_announced' },
  not_found: httpErrors.not_found,
} as const satisfies Record<string, HttpError>;

export type Refusal = keyof typeof refusals;

@Injectable()
export class Refusals {
  private readonly refused;

  constructor(metrics: Metrics) {
    this.refused = metrics.counter({
      name: 'portal_refused_total',
      help: 'Requests of the portal that were refused, by reason',
      labels: ['reason'],
    });
  }

  /** @throws Problem of the code */
  refuse(reason: Refusal, headers: Readonly<Record<string, string>> = {}): never {
    this.refused.inc({ reason });
    throw new Problem(refusals[reason], { headers });
  }
}

/** The header that says when a refused request may come again, in whole seconds, never 0. */
export function retryAfter(waitMs: number): Readonly<Record<string, string>> {
  return { 'Retry-After': Math.max(1, Math.ceil(waitMs / 1000)).toString() };
}

/** An answer that leads to another page. It is no error, but it ends the request as one does. */
const elsewhere = { status: 303, code: 'see_other' } as const satisfies HttpError;

/** The problem that a guard throws to lead to another page. */
export function seeOther(location: string): Problem {
  return new Problem(elsewhere, { headers: { Location: location } });
}
