import {
  correctionEndsAt,
  type CorrectionKey,
  type CorrectionTerms,
  type RecordedCorrection,
} from '#domain/corrections';
import { accountWord, debitedMinor, movedMinor, sideText } from './entries.js';
import { type Instant, type Minor } from '#domain/kernel';
import {
  type Case,
  caseMoney,
  type DecisionMoney,
  decisionsFor,
  openReviewCause,
  readWholeAmount,
} from '#desk/operators';
import { type StoredReviewProposal } from '#records/reviews';
import { moneyText, timeText } from '../page/parts.js';
import { type DescribedPayment, type Description } from '#records/people';
import { moneyRows } from './money-rows.js';
import { decisionWord, type PageContext, merchantText, whoText } from './page-context.js';

type Rows = Description['rows'];

/** The server's own facts about an item, for the person who decides about it. None of them comes from a form. */
export function itemRows(found: Case, context: PageContext): Rows {
  const { texts, zone } = context;
  const { item, key, events, state, type } = found;
  const { currency } = item;
  const review = state.underReview ? openReviewCause(events) : undefined;
  const asked = type === 'payout' ? state.request : state.intent;
  const arrived = arrivedMinor(found);
  return filled([
    [texts.aboutItem, `${texts.types[type]} ${key.reference}`],
    [texts.merchant, `${merchantText(key.merchantId, context)}, ${texts.modes[key.mode]}`],
    [texts.item.account, item.account_no],
    [texts.item.askedFor, moneyText(asked.amountMinor, currency)],
    [texts.item.arrived, arrived === undefined ? undefined : moneyText(arrived, currency)],
    [texts.item.phone, asked.phoneMasked],
    [texts.status, texts.statuses[item.status] ?? item.status],
    [texts.receipt, item.receipt ?? undefined],
    [
      texts.item.underReview,
      review && `${texts.causes[review.why]} ${timeText(new Date(review.since), zone)}`,
    ],
  ]);
}

/**
 * Splits the facts of a decision about one item: first its own rows, the item's name, the amounts, the fee and the net
 * amount. The item's other facts are details, which the page folds.
 * @param context with the money that the decision posts
 */
export function decisionFacts(
  rows: Parameters<typeof filled>[0],
  found: Case,
  { money, ...context }: PageContext & { readonly money: DecisionMoney | undefined },
): Required<Pick<Description, 'rows' | 'details'>> {
  const { texts } = context;
  const atOnce: readonly string[] = [texts.aboutItem, texts.item.askedFor, texts.item.arrived];
  const facts = itemRows(found, context);
  const amounts = moneyRows(money, found.item.currency, texts);
  return {
    rows: filled([...rows, ...facts.filter(([name]) => atOnce.includes(name)), ...amounts]),
    details: facts.filter(([name]) => !atOnce.includes(name)),
  };
}

/** The amount that arrived and is held in suspense, in minor units. */
export function arrivedMinor({ state }: Case): Minor | undefined {
  return state.status === 'in_suspense' ? state.arrivedMinor : undefined;
}

/**
 * The money that a decision about an item moves: the amount of the decision itself, else the amount that arrived, else
 * the one that was asked for.
 */
export function itemPayment(
  found: Case,
  { merchants }: PageContext,
  decidedMinor: Minor | null,
): DescribedPayment {
  const { key, item, state, type } = found;
  const asked = type === 'payout' ? state.request : state.intent;
  return {
    amount: moneyText(decidedMinor ?? arrivedMinor(found) ?? asked.amountMinor, item.currency),
    merchant: merchants?.get(key.merchantId) ?? key.merchantId,
    mode: key.mode,
  };
}

/** The facts of `itemRows` in one row, for several items that are decided together. */
export function itemRow(found: Case, context: PageContext): Rows[number] {
  const [[, name] = ['', '']] = itemRows(found, context);
  const [, ...others] = itemRows(found, context);
  return [name, others.map(([word, value]) => `${word}: ${value}`).join('; ')];
}

/** True if the decision is only proposed, and another operator must confirm it. */
export function takesTwo(found: Case, decision: string): boolean {
  return decisionsFor(found).some((each) => each.decision === decision && each.twoOperators);
}

/** The effect of a decision on an item in its present state. */
export function meaningOf(found: Case, decision: string, { texts }: PageContext): string {
  const possible = decisionsFor(found).find((each) => each.decision === decision);
  const word = decisionWord(decision, texts);
  return possible ? `${word}. ${texts.meanings[possible.meaning]}` : word;
}

/**
 * The payment and the reason as they were typed, before a proposal.
 * @param prefix of the form's fields
 */
export function typedPaymentRows(
  form: URLSearchParams,
  {
    prefix,
    reason,
    found,
    context,
  }: {
    readonly prefix: string;
    /** The name of the field with the reason. */
    readonly reason: string;
    readonly found: Case;
    readonly context: PageContext;
  },
): Rows {
  const { texts } = context;
  const typed = (name: string): string => (form.get(`${prefix}_${name}`) ?? '').trim();
  const amountMinor = namedMinorIn(form, prefix);
  return filled([
    [texts.receipt, typed('receipt').toUpperCase()],
    [
      texts.amount,
      amountMinor === null ? typed('amount') : moneyText(amountMinor, found.item.currency),
    ],
    [texts.fields.paidAt, typed('paid_at')],
    [texts.reason, (form.get(reason) ?? '').trim()],
  ]);
}

/** Returns the amount that a decision's form names, in minor units; null if it names none that can be read. */
export function namedMinorIn(form: URLSearchParams, prefix: string): Minor | null {
  const amount = readWholeAmount((form.get(`${prefix}_amount`) ?? '').trim());
  return amount.ok ? amount.value : null;
}

/** The money that the proposal posts if it is confirmed now. */
export function proposedMoney(
  found: Case,
  { decision, amountMinor }: Pick<StoredReviewProposal, 'decision' | 'amountMinor'>,
): DecisionMoney | undefined {
  return caseMoney(found, { decision, namedMinor: amountMinor });
}

/** Another person's proposal about an item, as it is stored. */
export function proposalRows(
  found: Case,
  proposal: StoredReviewProposal,
  context: PageContext,
): Rows {
  const { texts, zone } = context;
  const { decision, receipt, amountMinor, paidAt, reason, proposedBy, proposedAt } = proposal;
  return filled([
    [texts.waiting.change, meaningOf(found, decision, context)],
    [texts.receipt, receipt ?? undefined],
    [texts.amount, amountMinor === null ? undefined : moneyText(amountMinor, found.item.currency)],
    [texts.item.paidAt, paidAt === null ? undefined : timeText(paidAt, zone)],
    [texts.reason, reason],
    [texts.waiting.by, whoText(proposedBy, context)],
    [texts.since, timeText(proposedAt, zone)],
  ]);
}

/** A correction and the time at which it was proposed. */
export interface FoundCorrection {
  readonly key: CorrectionKey;
  readonly correction: RecordedCorrection;
  readonly proposedAt: Instant;
}

/** The correction's status in the viewer's language. */
function correctionStatus(
  correction: RecordedCorrection,
  { corrections: words }: PageContext['texts'],
) {
  if (correction.status === 'ended') return words.ends[correction.outcome];
  return correction.status === 'proposed' ? words.waits : words.posted;
}

/** The money that a correction moves. */
export function correctionPayment(
  { merchantId, mode, legs, currency }: CorrectionTerms,
  { merchants }: PageContext,
): DescribedPayment {
  const merchant = merchants?.get(merchantId) ?? merchantId;
  return { amount: moneyText(movedMinor(legs), currency), merchant, mode };
}

/** The terms of a correction: its entries and their sums, then the rest. */
export function correctionTermsRows(
  { merchantId, mode, currency, legs, why, corrects, receipt, mayOverdraw }: CorrectionTerms,
  context: PageContext,
): Rows {
  const { texts } = context;
  const { corrections: words } = texts;
  return filled([
    ...legs.map(
      ({ account, amountMinor }) =>
        [accountWord(account, texts), sideText(amountMinor, currency, texts)] as const,
    ),
    [
      words.total,
      `${words.debit} ${moneyText(debitedMinor(legs), currency)}, ${words.credit} ${moneyText(movedMinor(legs), currency)}`,
    ],
    [texts.reason, why],
    [words.corrects, corrects],
    [texts.receipt, receipt],
    [texts.item.account, mayOverdraw === true ? words.overdraws : undefined],
    [texts.merchant, `${merchantText(merchantId, context)}, ${texts.modes[mode]}`],
  ]);
}

/** A correction from its own events. */
export function correctionRows(
  { key, correction, proposedAt }: FoundCorrection,
  context: PageContext,
): Rows {
  const { texts, zone } = context;
  const { corrections: words } = texts;
  const { proposal } = correction;
  return filled([
    ...correctionTermsRows(proposal, context),
    [texts.status, correctionStatus(correction, texts)],
    [words.proposedBy, whoText(proposal.proposedBy, context)],
    [texts.since, timeText(new Date(proposedAt), zone)],
    [texts.waiting.ends, timeText(new Date(correctionEndsAt(proposedAt)), zone)],
    [words.id, key.id],
  ]);
}

/** Leaves out rows without a value. */
export function filled(rows: readonly (readonly [string, string | undefined])[]): Rows {
  return rows.flatMap(([name, value = '']) => (value === '' ? [] : [[name, value] as const]));
}
