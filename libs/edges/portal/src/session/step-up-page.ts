import { type Mode } from '#domain/kernel';
import { html, type Html } from '#shared/html';
import { type Viewer } from '../access/viewer.js';
import { type Page } from '../page/page.js';
import { definitions, form, hidden, notice, statusMark } from '../page/parts.js';
import { type Texts } from '../text/texts.js';
import { textsOf } from '../text/texts-of.js';
import {
  type DescribedItems,
  type DescribedPayment,
  type Description,
  type PendingForm,
} from '#records/people';
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

/**
 * The page that says exactly what will be done. Once the person has proved presence, it has the button that does it.
 * Everything that it says about the act is in the digest that the proof is bound to (POR-10), apart from facts that
 * change by themselves (POR-104).
 */
export function stepUpPage(viewer: Viewer, { id, form: held, isProved, wasNotAnew }: StepUp): Page {
  const texts = textsOf(viewer);
  const { stepUp } = texts;
  const { title, verb, rows, payment, items, details, unbound = [] } = held.description;
  const cancel = html`<a class="button secondary" href="/portal">${stepUp.cancel}</a>`;
  const content = html`${isProved ? notice('done', stepUp.proved) : html`<p class="soft">${stepUp.check}</p>`}
  ${payment && money(payment, texts)} ${items && listed(items, texts)} ${definitions(rows)}
  ${details && folded(details, texts)}
  ${
    unbound.length === 0
      ? undefined
      : html`${definitions(unbound)}
          <p class="soft">${stepUp.asOfForm}</p>`
  }
  ${
    isProved
      ? html`<div class="buttons">
          ${form(viewer, {
            action: held.target,
            submit: verb === undefined ? stepUp.finish : stepUp.finishTo[verb],
            fields: [hidden(heldField, id)],
            danger: verb === 'reject',
          })}
          ${cancel}
        </div>`
      : html`${wasNotAnew ? notice('warning', stepUp.notAnew) : undefined}
          <p class="soft">${stepUp.why}</p>
          <div class="buttons">
            <a
              class="button${verb === 'reject' ? ' danger' : ''}"
              href="/portal/confirm/${id}/prove"
              >${verb === undefined ? stepUp.verify : stepUp.verifyTo[verb]}</a
            >
            ${cancel}
          </div>`
  }`;
  return { title, content, isDialog: true, isDemo: (payment ?? items)?.mode === 'demo' };
}

/** The total of several items, their mode in words and each item with its money. */
function listed({ total, mode, list }: DescribedItems, texts: Texts): Html {
  return html`${mode === null ? undefined : modeLine(mode, texts)}
    <p class="amount">${total}</p>
    <p class="soft">${texts.stepUp.items(list.length)}</p>
    <ul class="decided">
      ${list.map(
        ({ name, amount, said }) =>
          html`<li>
            <b>${name}</b> <b class="money">${amount}</b>
            <p class="soft">${said}</p>
          </li>`,
      )}
    </ul>`;
}

function folded(details: NonNullable<Description['details']>, { stepUp }: Texts): Html {
  return html`<details>
    <summary>${stepUp.allFacts}</summary>
    ${definitions(details)}
  </details>`;
}

function modeLine(mode: Mode, { modes }: Texts): Html {
  const { title, text } = modes[mode];
  return html`<p>
    ${statusMark(mode, `${title}: ${text}`, mode === 'demo' ? 'waiting' : 'good')}
  </p>`;
}

/** The amount, its receiver if it leaves, the merchant and the mode in words. */
function money({ amount, to, merchant, mode }: DescribedPayment, texts: Texts): Html {
  const { stepUp } = texts;
  return html`${modeLine(mode, texts)}
    <p class="amount">${amount}</p>
    ${definitions([
      [stepUp.to, to === undefined ? undefined : html`<strong>${to}</strong>`],
      [stepUp.merchant, html`<strong>${merchant}</strong>`],
    ])}`;
}
