import { html } from '#shared/html';
import { type Viewer } from '../access/viewer.js';
import { type Page } from '../page/page.js';
import { definitions, form, hidden, notice } from '../page/parts.js';
import { textsOf } from '../text/texts-of.js';
import { type PendingForm } from '#records/people';
import { heldField } from './step-up.js';

/** The value of `done` in the address after a proof for which the issuer did not see the person anew. */
export const notAnew = 'not_anew';

interface StepUp {
  readonly id: string;
  readonly form: PendingForm;
  readonly isProved: boolean;
  /** True if the issuer answered, but did not see the person anew. */
  readonly wasNotAnew: boolean;
}

/** The page that says exactly what will be done. Once the person has proved presence, it has the button that does it. */
export function stepUpPage(viewer: Viewer, { id, form: held, isProved, wasNotAnew }: StepUp): Page {
  const { stepUp } = textsOf(viewer);
  const { title, rows } = held.description;
  const content = html`<h2>${title}</h2>
    ${definitions(rows)}
    ${
      isProved
        ? html`${notice('done', stepUp.proved)}
          ${form(viewer, {
            action: held.target,
            submit: stepUp.carryOutButton,
            fields: [hidden(heldField, id)],
            danger: true,
          })}`
        : html`${wasNotAnew ? notice('warning', stepUp.notAnew) : undefined}
            <p>${stepUp.why}</p>
            <p><a class="button" href="/portal/confirm/${id}/prove">${stepUp.proveButton}</a></p>`
    }
    <p><a href="/portal">${stepUp.cancel}</a></p>`;
  return { title: stepUp.ask, content };
}
