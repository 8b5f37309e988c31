import { html, type Html } from '#shared/html';
import { type Place, addressIn, unbroken } from './document.js';
import { type Texts } from './texts.js';

/** The content of the form when it is shown. */
export interface PayForm {
  /** The attempt that the button starts. Pressing it twice starts one. */
  readonly attempt: number;
  readonly token: string;
  /** As typed, or as in the link. */
  readonly phone: string;
  readonly problem?: FormProblem;
}

export type FormProblem = 'invalid_phone' | 'stale_form';

export function formProblemText(texts: Texts, problem: FormProblem): string {
  return problem === 'invalid_phone' ? texts.invalidPhone : texts.staleForm;
}

/** Returns the form. It posts to the link itself, so the answer is the state of the same link. */
export function payForm(texts: Texts, place: Place, amount: string, form: PayForm): Html {
  const wrongPhone = form.problem === 'invalid_phone';
  return html`${form.problem && summary(texts, form.problem)}
    <form method="post" action="${addressIn(place, place.language)}" novalidate>
      <input type="hidden" name="token" value="${form.token}" />
      <input type="hidden" name="attempt" value="${form.attempt}" />
      <label class="label" for="phone">${unbroken(texts.phone)}</label>
      <p class="hint" id="hint">${texts.phoneHint}</p>
      ${wrongPhone ? html`<p class="wrong" id="wrong">${texts.invalidPhone}</p>` : undefined}
      ${wrongPhone ? html`<input class="invalid" id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" maxlength="24" value="${form.phone}" aria-required="true" aria-invalid="true" aria-describedby="hint wrong" />` : html`<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" maxlength="24" value="${form.phone}" aria-required="true" aria-describedby="hint" />`}
      <button type="submit" id="pay" data-sending="${texts.sending}">
        ${texts.payButton(amount)}
      </button>
      <p class="note">${unbroken(texts.pinNote)}</p>
    </form>`;
}

/** Returns the summary of a problem. It is first on the page and focused, so that screen readers announce it. */
function summary(texts: Texts, problem: FormProblem): Html {
  const target = problem === 'invalid_phone' ? '#phone' : '#pay';
  return html`<div class="problem" role="alert" tabindex="-1" autofocus>
    <h2>${texts.problem}</h2>
    <ul>
      <li><a href="${target}">${formProblemText(texts, problem)}</a></li>
    </ul>
  </div>`;
}
