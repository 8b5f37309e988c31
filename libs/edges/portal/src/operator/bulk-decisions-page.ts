import { html, type Html } from '#shared/html';
import { type Item } from '#desk/operators';
import { emptyState, notice, statusMark, table } from '../page/parts.js';
import { itemHref, type PageContext, merchantName } from './page-context.js';
import { type Decided } from './review-decisions.js';

/** The outcome of a decision about one item. */
export interface Outcome {
  readonly found: Item;
  readonly decided: Decided;
}

/** The page of each outcome, or of an error of the whole form, in which case nothing was done. */
export function outcomesPage(
  decided: { readonly outcomes: readonly Outcome[] } | { readonly wrong: string },
  context: PageContext,
): Html {
  const { texts } = context;
  const { together: words } = texts;
  const back = html`<p>
    <a href="/portal/reviews">${texts.reviews.title}</a> ·
    <a href="/portal/waiting">${texts.waiting.title}</a>
  </p>`;
  if ('wrong' in decided) return html`${notice('error', decided.wrong)} ${back}`;
  const { outcomes } = decided;
  const refused = outcomes.filter(({ decided: of }) => typeof of === 'object').length;
  return html`${notice(
    refused === 0 ? 'done' : 'warning',
    words.summary(outcomes.length - refused, refused),
  )}
  ${table({
    caption: words.outcomes,
    head: [texts.reference, texts.mode, texts.merchant, words.outcome],
    rows: outcomes.map(({ found, decided: of }) => [
      html`<a href="${itemHref(found)}">${found.key.reference}</a>`,
      texts.modes[found.key.mode],
      merchantName(found.key.merchantId, context),
      typeof of === 'string'
        ? statusMark(of, texts.done[of], 'good')
        : statusMark('refused', texts.refusals[of.refusal], 'bad'),
    ]),
    empty: emptyState(words.nothing, words.nothingTodo),
  })}
  ${back}`;
}
