import { type Instant, type Minor, type Mode } from '#domain/kernel';
import { type HeldRole } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type StoredReviewProposal, itemOf } from '#views/cases';
import { type ListedCorrection } from '#views/balances';
import { type UnsettledBatch, type UnsettledPayout } from '#views/payouts';
import { emptyState, money, notice, table, time } from '../page/parts.js';
import { correctionHref, decisionWord, isViewer, itemHref, type Look, who } from './looks.js';

/** A role that waits for a second admin. */
export interface WaitingRole {
  readonly id: string;
  readonly terms: HeldRole & { readonly person: string; readonly name: string };
  readonly reason: string;
  readonly proposedBy: string;
  readonly proposedAt: Instant;
  readonly endsAt: Instant;
}

/** Whatever takes two people and has one. */
export interface Waiting {
  readonly reviews: readonly StoredReviewProposal[];
  readonly corrections: readonly ListedCorrection[];
  readonly payouts: readonly UnsettledPayout[];
  readonly batches: readonly UnsettledBatch[];
  readonly roles: readonly WaitingRole[];
  /** There are more of some kind than are shown. */
  readonly more: boolean;
}

interface Row {
  readonly kind: keyof Look['texts']['waiting']['kinds'];
  readonly href: string | undefined;
  readonly name: string;
  readonly change: Html | string;
  readonly mode: Mode | undefined;
  /** Undefined where it is not known here. */
  readonly by: string | undefined;
  readonly reason: string;
  readonly since: Date;
  readonly ends: Date | undefined;
}

/** What waits for a second person: the viewer's own requests apart from what they may decide. */
export function waitingPage(waiting: Waiting, look: Look): Html {
  const { waiting: words } = look.texts;
  const rows = rowsOf(waiting, look).toSorted(
    (one, other) => one.since.getTime() - other.since.getTime(),
  );
  const isOwn = ({ by }: Row): boolean => by !== undefined && isViewer(by, look.viewer);
  return html`<p>${words.intro}</p>
    ${waiting.more ? notice('warning', words.more) : undefined}
    <h2>${words.yours}</h2>
    ${list(
      rows.filter((row) => !isOwn(row)),
      { caption: words.yours, empty: emptyState(words.empty, words.emptyTodo) },
      look,
    )}
    <h2>${words.others}</h2>
    ${list(
      rows.filter(isOwn),
      { caption: words.others, empty: emptyState(words.emptyOthers, words.emptyOthersTodo) },
      look,
    )}`;
}

function list(
  rows: readonly Row[],
  { caption, empty }: { readonly caption: string; readonly empty: Html },
  look: Look,
): Html {
  const { texts, zone } = look;
  const { waiting: words } = texts;
  return table({
    caption,
    head: [
      texts.what,
      texts.type,
      words.change,
      texts.mode,
      words.by,
      texts.reason,
      texts.since,
      words.ends,
    ],
    rows: rows.map((row) => [
      row.href === undefined ? row.name : html`<a href="${row.href}">${row.name}</a>`,
      words.kinds[row.kind],
      row.change,
      row.mode === undefined ? '' : texts.modes[row.mode],
      row.by === undefined ? '' : who(row.by, look),
      row.reason,
      time(row.since, zone),
      row.ends ? time(row.ends, zone) : words.untilDecided,
    ]),
    empty,
  });
}

function rowsOf(waiting: Waiting, look: Look): readonly Row[] {
  return [
    ...waiting.reviews.map((proposal) => reviewRow(proposal, look)),
    ...waiting.corrections.map(correctionRow),
    ...waiting.payouts.map((payout) => payoutRow(payout, look)),
    ...waiting.batches.map((batch) => batchRow(batch, look)),
    ...waiting.roles.map(roleRow),
  ];
}

function reviewRow(proposal: StoredReviewProposal, { texts }: Look): Row {
  const { stream, decision, receipt, mode, proposedBy, reason, proposedAt } = proposal;
  const item = itemOf(stream);
  const of = receipt === null ? '' : `, ${receipt}`;
  return {
    kind: 'review',
    href: item && `${itemHref(item)}#decide`,
    name: item?.key.reference ?? stream,
    change: `${decisionWord(decision, texts)}${of}`,
    ...{ mode, by: proposedBy, reason, since: proposedAt, ends: dayAfter(proposedAt) },
  };
}

/** When a timeout refuses a proposal (REV-6). */
function dayAfter(at: Date): Date {
  return new Date(at.getTime() + 24 * 3_600_000);
}

function correctionRow(correction: ListedCorrection): Row {
  const { id, mode, legs, currency, proposedBy, why, proposedAt } = correction;
  return {
    kind: 'correction',
    href: correctionHref(correction),
    name: id.slice(0, 8),
    change: html`${currency} ${legs.map((leg) => html`<div><code>${leg}</code></div>`)}`,
    ...{ mode, by: proposedBy, reason: why, since: new Date(proposedAt), ends: undefined },
  };
}

function payoutRow(payout: UnsettledPayout, { texts }: Look): Row {
  const { mode, merchantId, reference, amountMinor, currency, since } = payout;
  return {
    kind: 'payout',
    href: itemHref({ type: 'payout', key: { mode, merchantId, reference } }),
    name: reference,
    change: html`${money(amountMinor, currency)}, ${texts.waiting.payout}`,
    ...{ mode, by: undefined, reason: texts.waiting.decidedByMerchant },
    ...{ since: new Date(since), ends: undefined },
  };
}

function batchRow({ key, count, amountMinor, currency, since }: UnsettledBatch, look: Look): Row {
  const { waiting: words } = look.texts;
  const sum: Html | undefined =
    amountMinor === null || currency === null ? undefined : sumOf(amountMinor, currency);
  return {
    kind: 'batch',
    href: undefined,
    name: key.reference,
    change: html`${sum}${words.batch(count)}`,
    ...{ mode: key.mode, by: undefined, reason: words.decidedByMerchant },
    ...{ since: new Date(since), ends: undefined },
  };
}

function sumOf(minor: Minor, currency: string): Html {
  return html`${money(minor, currency)}, `;
}

function roleRow({ id, terms, reason, proposedBy, proposedAt, endsAt }: WaitingRole): Row {
  const of = terms.merchantId === undefined ? '' : ` (${terms.merchantId})`;
  return {
    kind: 'role',
    href: undefined,
    name: id.slice(0, 8),
    change: `${terms.name}: ${terms.role}${of}`,
    ...{ mode: undefined, by: proposedBy, reason },
    ...{ since: new Date(proposedAt), ends: new Date(endsAt) },
  };
}
