import { html, type Html } from '#shared/html';
import { type Case, itemStream, openReviewCause } from '#desk/operators';
import { emptyState, form, hidden, moneyText, notice, table } from '../page/parts.js';
import { askedMinor, offeredDecisions, type SharedDecision, totalText } from './bulk-choice.js';
import { arrivedMinor } from './fact-rows.js';
import { itemHref, merchantName, modeMark, type PageContext } from './page-context.js';
import { reasonField } from './reason-field.js';

/** The form that decides the chosen reviews together, with the decisions that they allow. */
export function bulkChoicePage(found: readonly Case[], context: PageContext): Html {
  const { texts } = context;
  const { together: words } = texts;
  const offered = offeredDecisions(found);
  const modes = [...new Set(found.map(({ key }) => key.mode))];
  return html`<p>${modes.map((mode) => modeMark(mode, context))}</p>
    <p class="amount">${totalText(found)}</p>
    ${chosenTable(found, context)}
    ${
      offered.length === 0
        ? notice('warning', words.noDecision)
        : offered.some(({ leftOut }) => leftOut.length > 0)
          ? notice('warning', words.noShared)
          : undefined
    }
    ${offered.length === 0 ? undefined : decisionForm(found, offered, context)}
    <p><a href="/portal/reviews">${texts.reviews.title}</a></p>`;
}

function chosenTable(found: readonly Case[], context: PageContext): Html {
  const { texts } = context;
  return table({
    caption: texts.together.chosen(found.length),
    head: [
      texts.reference,
      texts.reason,
      { text: texts.item.askedFor, isNumber: true },
      { text: texts.item.arrived, isNumber: true },
      texts.merchant,
    ],
    rows: found.map((each) => {
      const { key, item, state, events } = each;
      const cause = state.underReview ? openReviewCause(events) : undefined;
      const arrived = arrivedMinor(each);
      return [
        html`<a href="${itemHref(each)}">${key.reference}</a>`,
        cause ? texts.causes[cause.why] : texts.refusals.not_under_review,
        moneyText(askedMinor(each), item.currency),
        arrived === undefined ? '' : moneyText(arrived, item.currency),
        merchantName(key.merchantId, context),
      ];
    }),
    empty: emptyState(texts.together.nothing, texts.together.nothingTodo),
  });
}

function decisionForm(
  found: readonly Case[],
  offered: readonly SharedDecision[],
  { texts, viewer }: PageContext,
): Html {
  const { together: words } = texts;
  return form(viewer, {
    action: '/portal/reviews/together',
    submit: words.continue,
    fields: [
      ...found.map((each) => hidden('item', itemStream(each))),
      html`<fieldset class="decisions">
        <legend>${words.decision}</legend>
        ${offered.map((each) => decisionChoice(each, texts))}
      </fieldset>`,
      reasonField({ name: 'reason' }, texts),
    ],
  });
}

/** One decision as a choice. None is chosen at first: a decision about many needs a person's choice. */
function decisionChoice({ decision, leftOut }: SharedDecision, texts: PageContext['texts']): Html {
  const { together: words, decisions } = texts;
  const id = `decision-${decision}`;
  return html`<div class="option">
    <label for="${id}"
      ><input type="radio" id="${id}" name="decision" value="${decision}" required />
      ${decision === 'paid' ? words.postingStands : decisions[decision]}</label
    >
    ${leftOut.length === 0 ? undefined : html`<p class="soft">${words.leavesOut(referencesOf(leftOut))}</p>`}
  </div>`;
}

/** The references of reviews, one after another. */
export function referencesOf(found: readonly Case[]): string {
  return found.map(({ key }) => key.reference).join(', ');
}
