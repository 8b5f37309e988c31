import { type OpenProposal, type ProposalRow } from '#domain/proposals';
import { html, type Html } from '#shared/html';
import { definitions, form, hidden, notice, timeText } from '../page/parts.js';
import { type Description } from '#records/people';
import { filled } from './fact-rows.js';
import { isViewer, type PageContext, merchantText, who } from './page-context.js';

/** A pending change that another admin must confirm, with the rows that describe it. */
export type ShownProposal = OpenProposal & {
  readonly rows: readonly ProposalRow[];
  /** The merchant's owner who asked for it, as events name people (POR-97). */
  readonly askedBy?: string;
};

/** The change as it is stored, for the person who decides about it. */
export function proposalRows(proposal: ShownProposal, context: PageContext): Description['rows'] {
  const { texts, zone } = context;
  const { kind, merchantId, rows, reason, proposedBy, endsAt } = proposal;
  return filled([
    [texts.waiting.change, texts.proposals.kinds[kind]],
    [texts.merchant, merchantId === undefined ? undefined : merchantText(merchantId, context)],
    ...rows.map((row) => [texts.proposals.fields[row.field], rowText(row, context)] as const),
    [texts.reason, reason],
    [texts.access.askedBy, proposal.askedBy],
    [texts.waiting.by, proposedBy],
    [texts.waiting.ends, timeText(new Date(endsAt), zone)],
  ]);
}

/** The values that change, as a list for the change's card. */
export function changeList({ kind, rows, askedBy }: ShownProposal, context: PageContext): Html {
  const { proposals: words, access } = context.texts;
  return html`<b>${words.kinds[kind]}</b>
    ${rows.map((row) => html`<div>${words.fields[row.field]}: ${rowText(row, context)}</div>`)}
    ${askedBy === undefined ? undefined : html`<div>${access.askedBy}: ${who(askedBy, context)}</div>`}`;
}

/** The new value of a row, with the one that it replaces. */
export function rowText(
  { value, before }: ProposalRow,
  { texts: { proposals: words } }: PageContext,
): string {
  const text = (one: string): string => (one === '' ? words.none : one);
  return before === undefined ? text(value) : `${text(value)} (${words.was(text(before))})`;
}

/**
 * Forms with which another admin confirms or declines a proposal, and with which the proposer withdraws it. The person
 * whom it is about does not confirm it.
 */
export function proposalForms(
  { id, proposedBy, rows }: Pick<ShownProposal, 'id' | 'proposedBy' | 'rows'>,
  context: PageContext,
): Html {
  const { texts, viewer } = context;
  const isOwn = isViewer(proposedBy, viewer);
  const isAbout = rows.some(({ field, value }) => field === 'person' && isViewer(value, viewer));
  const decide = (verdict: 'confirm' | 'decline', submit: string) =>
    form(viewer, {
      action: `/portal/proposals/${verdict}`,
      submit,
      look: 'secondary',
      fields: [hidden('proposal', id)],
    });
  return html`<div class="buttons">
    ${isOwn || isAbout ? undefined : decide('confirm', texts.proposals.confirm)}
    ${decide('decline', isOwn ? texts.proposals.withdraw : texts.proposals.decline)}
  </div>`;
}

/** The page of the secrets that a change made. It shows them once. */
export function secretsPage(value: object, context: PageContext): Html {
  const { proposals: words } = context.texts;
  const rows = Object.entries(value).map(
    ([name, given]: [string, unknown]) => [name, html`<code>${String(given)}</code>`] as const,
  );
  return html`${notice('warning', words.secretOnce)} ${definitions(rows)} ${back(context)}`;
}

export function refusedPage(summary: string, context: PageContext): Html {
  return html`${notice('error', summary)} ${back(context)}`;
}

function back({ texts }: PageContext): Html {
  return html`<p><a href="/portal/waiting">${texts.proposals.back}</a></p>`;
}
