import { type OpenProposal, type ProposalRow } from '#domain/proposals';
import { html, type Html } from '#shared/html';
import { definitions, form, hidden, notice, timeText } from '../page/parts.js';
import { type Description } from '../session/ports.js';
import { filled } from './described.js';
import { isViewer, type Look, merchantText } from './looks.js';

/** A pending change that another admin must confirm, with the rows that describe it. */
export type ShownProposal = OpenProposal & { readonly rows: readonly ProposalRow[] };

/** The change as it is stored, for the person who decides about it. */
export function proposalRows(proposal: ShownProposal, look: Look): Description['rows'] {
  const { texts, zone } = look;
  const { kind, merchantId, rows, reason, proposedBy, endsAt } = proposal;
  return filled([
    [texts.waiting.change, texts.proposals.kinds[kind]],
    [texts.merchant, merchantId === undefined ? undefined : merchantText(merchantId, look)],
    ...rows.map((row) => [texts.proposals.fields[row.field], rowText(row, look)] as const),
    [texts.reason, reason],
    [texts.waiting.by, proposedBy],
    [texts.waiting.ends, timeText(new Date(endsAt), zone)],
  ]);
}

/** The values that change, as a list for the change's card. */
export function changeList({ kind, rows }: ShownProposal, look: Look): Html {
  const { proposals: words } = look.texts;
  return html`<b>${words.kinds[kind]}</b>
    ${rows.map((row) => html`<div>${words.fields[row.field]}: ${rowText(row, look)}</div>`)}`;
}

function rowText({ value, before }: ProposalRow, { texts: { proposals: words } }: Look): string {
  const text = (one: string): string => (one === '' ? words.none : one);
  return before === undefined ? text(value) : `${text(value)} (${words.was(text(before))})`;
}

/** Forms with which another admin confirms or declines a proposal, and with which the proposer withdraws it. */
export function proposalForms({ id, proposedBy }: ShownProposal, look: Look): Html {
  const { texts, viewer } = look;
  const isOwn = isViewer(proposedBy, viewer);
  const decide = (verdict: 'confirm' | 'decline', submit: string) =>
    form(viewer, {
      action: `/portal/proposals/${verdict}`,
      submit,
      danger: verdict === 'confirm',
      fields: [hidden('proposal', id)],
    });
  return html`<div class="row">
    ${isOwn ? undefined : decide('confirm', texts.proposals.confirm)}
    ${decide('decline', isOwn ? texts.proposals.withdraw : texts.proposals.decline)}
  </div>`;
}

/** The page of the secrets that a change made. It shows them once. */
export function secretsPage(value: object, look: Look): Html {
  const { proposals: words } = look.texts;
  const rows = Object.entries(value).map(
    ([name, given]: [string, unknown]) => [name, html`<code>${String(given)}</code>`] as const,
  );
  return html`${notice('warning', words.secretOnce)} ${definitions(rows)} ${back(look)}`;
}

export function refusedPage(summary: string, look: Look): Html {
  return html`${notice('error', summary)} ${back(look)}`;
}

function back({ texts }: Look): Html {
  return html`<p><a href="/portal/waiting">${texts.proposals.back}</a></p>`;
}
