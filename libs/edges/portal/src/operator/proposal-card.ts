import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type Case, type Item } from '#desk/operators';
import { confirmCommand } from '#desk/words';
import { type StoredReviewProposal } from '#records/reviews';
import { definitions, field, form, hidden, money, notice, time } from '../page/parts.js';
import { declineField } from './access-cards.js';
import { type FormErrors } from './decision-form.js';
import { arrivedMinor, proposedMoney } from './fact-rows.js';
import { moneyRows } from './money-rows.js';
import {
  command,
  decisionWord,
  isViewer,
  itemHref,
  type PageContext,
  when,
  who,
} from './page-context.js';

/** The time at which a review's proposal expires (REV-6). */
export function reviewProposalEnds({ proposedAt }: Pick<StoredReviewProposal, 'proposedAt'>): Date {
  return new Date(proposedAt.getTime() + 24 * 3_600_000);
}

/** The open proposal of an item: its facts, the person it waits for, and the viewer's forms. */
export function proposalCard(
  proposal: StoredReviewProposal,
  found: Case,
  context: PageContext & { readonly refused: FormErrors | undefined },
): Html {
  const { texts, viewer } = context;
  const mayDecide = permits(viewer.roles, 'reviews.decide');
  const isOwn = isViewer(proposal.proposedBy, viewer);
  const ends = when(reviewProposalEnds(proposal), context);
  return html`<section class="card" aria-labelledby="proposal">
    <h2 id="proposal">${texts.item.waits}</h2>
    <p>${texts.item.waitsUntil} ${ends}.</p>
    ${proposalFacts(proposal, found, context)}
    ${isOwn ? notice('info', texts.item.waitsForOther) : undefined}
    ${isOwn || mayDecide ? undefined : notice('info', texts.waiting.needsFinance)}
    ${!isOwn && mayDecide ? confirmForm(proposal, found, context) : undefined}
    ${declineForms(proposal, found, context)}
    <details>
      <summary>${texts.byCommand}</summary>
      ${command(confirmCommand(found, proposal.id))}
    </details>
  </section>`;
}

function confirmForm(
  proposal: StoredReviewProposal,
  found: Case,
  { texts, viewer, refused }: PageContext & { readonly refused: FormErrors | undefined },
): Html {
  return form(viewer, {
    action: `${itemHref(found)}/confirm`,
    submit: texts.item.confirm,
    fields: [
      hidden('proposal', proposal.id),
      field({
        name: 'own_reason',
        label: texts.item.confirmReason,
        hint: texts.item.confirmReasonHint,
        value: refused?.values.get('own_reason') ?? '',
        maxLength: 500,
        autocomplete: 'off',
      }),
    ],
  });
}

/**
 * The form with which the proposer withdraws a proposal, or another operator rejects it with a reason (REV-11).
 * @returns undefined for a viewer who may not decide reviews
 */
export function declineForms(
  { id, proposedBy }: Pick<StoredReviewProposal, 'id' | 'proposedBy'>,
  item: Item,
  { texts, viewer, refused }: PageContext & { readonly refused?: FormErrors | undefined },
): Html | undefined {
  if (!permits(viewer.roles, 'reviews.decide')) return undefined;
  const action = `${itemHref(item)}/decline`;
  if (isViewer(proposedBy, viewer))
    return form(viewer, {
      action,
      submit: texts.proposals.withdraw,
      look: 'secondary',
      fields: [hidden('proposal', id)],
    });
  const error = refused?.fields.find(({ field: of }) => of === `decline-${id}`)?.text;
  return html`<details${error === undefined ? undefined : html` open`}>
    <summary>${texts.waiting.reject}</summary>
    ${form(viewer, {
      action,
      submit: texts.waiting.reject,
      danger: true,
      fields: [
        hidden('proposal', id),
        field({
          name: declineField,
          id: `decline-${id}`,
          label: texts.fields.reason,
          hint: texts.item.rejectHint,
          error,
          value: refused?.values.get(declineField) ?? '',
          isRequired: true,
          maxLength: 500,
          autocomplete: 'off',
        }),
      ],
    })}
  </details>`;
}

function proposalFacts(proposal: StoredReviewProposal, found: Case, context: PageContext): Html {
  const { texts, zone } = context;
  const { currency } = found.item;
  const arrived = arrivedMinor(found);
  const { decision, receipt, amountMinor, paidAt, proposedAt } = proposal;
  return definitions([
    [texts.waiting.change, decisionWord(decision, texts)],
    [texts.receipt, receipt ?? undefined],
    [texts.item.arrived, arrived === undefined ? undefined : money(arrived, currency)],
    [texts.amount, amountMinor === null ? undefined : money(amountMinor, currency)],
    ...moneyRows(proposedMoney(found, proposal), currency, texts),
    [texts.item.paidAt, paidAt === null ? undefined : time(paidAt, zone)],
    [texts.reason, proposal.reason],
    [texts.waiting.by, who(proposal.proposedBy, context)],
    [texts.since, time(proposedAt, zone)],
  ]);
}

/** The newest proposal, if a person rejected it and none has come since: its proposer reads the reason here. */
export function rejectedNotice(found: Case, context: PageContext): Html | undefined {
  const last = found.proposals.at(-1);
  if (!found.state.underReview || last?.outcome !== 'declined') return undefined;
  const { item: words } = context.texts;
  const by = last.endedBy === null ? '' : who(last.endedBy, context);
  return notice('warning', html`${words.rejected} ${by}: ${last.endReason ?? ''}`);
}
