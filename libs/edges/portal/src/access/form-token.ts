import { constantTimeEqual } from '#shared/signing';
import { Problem } from '#shared/http';
import { refusals } from './refusals.js';
import { type Viewer } from './viewer.js';

/** The name of the field that holds a form's token. */
export const formTokenField = 'form_token';

/** Of a form that its route reads itself: the guard has seen nothing of it. @throws Problem stale_form */
export function assertFormToken({ formToken }: Viewer, token: string | undefined): void {
  if (token === undefined || !constantTimeEqual(formToken, token))
    throw new Problem(refusals.stale_form);
}
