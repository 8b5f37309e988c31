import { Problem } from '#shared/http';
import { type Page } from './page.js';

/**
 * Ends a request with a page of its own, such as a form with what was typed and its errors. A form with step-up that
 * cannot be carried out ends so before it is held: its sender proves presence for nothing.
 */
export class FaultPage extends Problem {
  constructor(
    readonly page: Omit<Page, 'status' | 'isFault'>,
    status: 409 | 422 = 422,
  ) {
    super({ status, code: status === 409 ? 'changed' : 'invalid_form' });
  }
}
