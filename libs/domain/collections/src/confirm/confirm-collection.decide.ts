import { type Minor, assertNever, ok, refuse, type Result } from '#domain/kernel';
import { collectionLegs, suspenseLegs, walletPosted, type WalletPosted } from '#domain/ledger';
import {
  type Collection,
  type Completed,
  type Failed,
  type InSuspense,
  type Pending,
  type RecordedCollection,
  type Refunded,
} from '../collection.js';
import { asked, stillAsked } from '#domain/reviews';
import {
  type RailConfirmed,
  type RailReport,
  type ReportSource,
  type Verdict,
} from '#domain/rails';
import { type CollectionEvent } from '../collection.events.js';
import { pushAccepted } from '../initiate/initiate-collection.decide.js';
import { unansweredByDecline, unansweredByPayment } from '../review/unanswered.js';

/** `not_vouched`: the report alone settles nothing. Query the rail about the reference in it (RAIL-2). */
export type ConfirmRefusal = 'unknown_collection' | 'not_vouched';

/** The rail's statement that money was paid. */
export type Paid = Extract<Verdict, { kind: 'paid' }>;

/**
 * Returns the events that follow from a report of the rail:
 * - the posting, once;
 * - suspense, if another amount arrived;
 * - the receipt, if a query confirmed without one;
 * - a decline, if no money is known.
 *
 * A repeated report adds nothing, nor does one that contradicts money already posted. A report about another checkout
 * than the push's own posts nothing, even if corroborated: it is flagged for review.
 * @param railCommitment commitment to the evidence of this report
 */
export function decideConfirmCollection(
  report: RailReport,
  state: Collection,
  railCommitment: string | undefined,
): Result<readonly CollectionEvent[], ConfirmRefusal> {
  if (state.status === 'none') return refuse('unknown_collection');
  if (report.verdict.kind === 'unresolved') return ok([]);
  if (!isBelieved(report, state)) return refuse('not_vouched');
  if (namesOtherCheckout(report, state))
    return ok(report.verdict.kind === 'paid' ? asked('other_checkout', state) : []);
  switch (report.verdict.kind) {
    case 'paid':
      return ok([
        ...pushLearnt(report, state),
        ...afterPayment(report, report.verdict, state, railCommitment),
      ]);
    case 'declined':
      return ok(afterDecline(report, report.verdict.failureCode, state));
    default:
      return assertNever(report.verdict);
  }
}

/** A callback is believed if it comes from the rail's addresses about the known push, or if a query agrees. */
function isBelieved(report: RailReport, state: RecordedCollection): boolean {
  if (report.by === 'query' || report.corroborated) return true;
  return (
    report.fromRail &&
    state.push.kind === 'accepted' &&
    state.push.railReference === report.railReference
  );
}

/**
 * True if the push's own answer is known and the report names another checkout id. Such a payment may be another
 * collection's.
 */
function namesOtherCheckout({ railReference }: RailReport, { push }: RecordedCollection): boolean {
  return push.kind === 'accepted' && push.railReference !== railReference;
}

/**
 * If the push's own answer was lost, a corroborated callback supplies its content. So does a query about our own account
 * reference, because a rail that has it took the push.
 */
function pushLearnt(report: RailReport, state: RecordedCollection): readonly CollectionEvent[] {
  if (state.push.kind !== 'unknown') return [];
  const isOurs = report.railReference === state.intent.accountReference;
  return report.by === 'callback' || isOurs ? [pushAccepted(report)] : [];
}

function afterPayment(
  report: RailReport,
  paid: Paid,
  state: RecordedCollection,
  railCommitment: string | undefined,
): readonly CollectionEvent[] {
  switch (state.status) {
    case 'pending':
    case 'failed':
      return moneyArrived(report.by, paid, state, railCommitment);
    case 'completed':
      return receiptAfterPosting(report.by, paid, state);
    case 'in_suspense':
      return paymentDuringSuspense(paid, state);
    case 'refunded':
      return paymentAfterRefund(paid, state);
    default:
      return assertNever(state);
  }
}

/** The events of money that arrived, from any source: the posting, or suspense if the amount differs. */
export function moneyArrived(
  by: ReportSource,
  paid: Paid,
  state: Pending | Failed,
  railCommitment: string | undefined,
): readonly CollectionEvent[] {
  if (isOtherAmount(paid, state)) return suspense(paid, state);
  return [
    confirmation(by, paid),
    posting(state, railCommitment),
    // An operator's decision answers the open questions itself.
    ...(by === 'operator' ? [] : stillAsked(state, unansweredByPayment)),
  ];
}

/** Only a callback or an operator names an amount; a query's "paid" means the intent's amount. */
function isOtherAmount(
  paid: Paid,
  state: Pending | Failed,
): paid is Paid & { readonly amountMinor: Minor } {
  return paid.amountMinor !== undefined && paid.amountMinor !== state.intent.amountMinor;
}

/** The rail's confirmation of a payment, from any source. */
export function confirmation(by: ReportSource, paid: Paid): RailConfirmed {
  const { kind: _kind, ...reported } = paid;
  return { type: 'RailConfirmed', data: { by, ...reported } };
}

/** The only posting of a collection: it is in the same append as RailConfirmed, so it happens once or not at all. */
export function posting(
  { intent, requestCommitment }: Pick<Pending | Failed, 'intent' | 'requestCommitment'>,
  railCommitment: string | undefined,
): WalletPosted {
  const { channel: rail, accountNo, amountMinor, feeMinor } = intent;
  const legs = collectionLegs({ rail, accountNo, amountMinor, feeMinor });
  return walletPosted(intent, { legs, requestCommitment, railCommitment });
}

function suspense(
  paid: Paid & { readonly amountMinor: Minor },
  { intent }: Pending | Failed,
): readonly CollectionEvent[] {
  const { receipt, amountMinor } = paid;
  const told = receipt === undefined ? {} : { receipt };
  const arrived = { ...told, amountMinor, ...timeOf(paid) };
  const legs = suspenseLegs({ rail: intent.channel, amountMinor });
  return [
    { type: 'AmountMismatchRecorded', data: arrived },
    { type: 'SuspensePosted', data: { ...arrived, legs } },
  ];
}

/**
 * A callback after a query brings the receipt. One that names other money is flagged for review. A query names no
 * amount: it says that the posted amount was paid, and its receipt comes from a callback whose amount cannot be read
 * (RAIL-9).
 */
function receiptAfterPosting(
  by: ReportSource,
  paid: Paid,
  state: Completed,
): readonly CollectionEvent[] {
  const { receipt } = paid;
  const amountMinor = paid.amountMinor ?? (by === 'query' ? state.postedMinor : undefined);
  const known = state.payment.receipt;
  if (known !== undefined && receipt !== undefined && known !== receipt)
    return asked('second_receipt', state);
  const isNew = known === undefined && receipt !== undefined;
  return [
    ...(isNew && amountMinor !== undefined
      ? [{ type: 'RailReceiptRecorded', data: { receipt, amountMinor, ...timeOf(paid) } } as const]
      : []),
    ...otherThan(state.postedMinor, paid, state),
  ];
}

/** The rail's time may be unreadable although its receipt is readable. */
function timeOf({ paidAt }: Paid): Pick<Paid, 'paidAt'> {
  return paidAt === undefined ? {} : { paidAt };
}

/**
 * A report about the money in suspense adds nothing. Another receipt, or another amount than the held one, is flagged
 * once for the operators who decide, because the amount may come from operators (REV-8).
 */
function paymentDuringSuspense(paid: Paid, state: InSuspense): readonly CollectionEvent[] {
  const [known, { receipt }] = [state.payment.receipt, paid];
  const isSecond = known !== undefined && receipt !== undefined && known !== receipt;
  return isSecond ? asked('second_receipt', state) : otherThan(state.arrivedMinor, paid, state);
}

/** A report without a receipt is about the returned money. Another receipt or amount is flagged for review. */
function paymentAfterRefund(paid: Paid, state: Refunded): readonly CollectionEvent[] {
  const [known, { receipt }] = [state.payment.receipt, paid];
  return receipt === undefined || receipt === known
    ? otherThan(state.returnedMinor, paid, state)
    : asked('second_receipt', state);
}

/** Only a callback or an operator names an amount. */
function otherThan(
  minor: Minor,
  { amountMinor }: Paid,
  state: RecordedCollection,
): readonly CollectionEvent[] {
  const isOther = amountMinor !== undefined && amountMinor !== minor;
  return isOther ? asked('receipt_amount_differs', state) : [];
}

/**
 * A decline fails only an open collection; success and money in suspense stay. It is not final: like a payment, it
 * supplies the rail reference, because the rail is still queried about it. If the rail's own callback denies a payment
 * that only a query reported, it is flagged for review, unless it repeats an earlier decline.
 */
function afterDecline(
  report: RailReport,
  failureCode: string,
  state: RecordedCollection,
): readonly CollectionEvent[] {
  if (report.by === 'query' && !report.repeated) return [];
  if (isDenied(report, state)) return asked('declined_after_payment', state);
  const learnt = isOpenToPayment(state) ? pushLearnt(report, state) : [];
  if (state.status !== 'pending') return learnt;
  return [
    ...learnt,
    { type: 'RailDeclined', data: { by: report.by, failureCode } },
    ...stillAsked(state, unansweredByDecline),
  ];
}

function isDenied(
  { by }: RailReport,
  { status, payment, wasDeclined }: RecordedCollection,
): boolean {
  const hasReceipt = payment.receipt !== undefined;
  return by === 'callback' && status === 'completed' && !hasReceipt && !wasDeclined;
}

function isOpenToPayment({ status }: RecordedCollection): boolean {
  return status === 'pending' || status === 'failed';
}

/** The ways in which a report of the rail contradicts an earlier one. */
export type Contradiction = 'paid_after_decline' | 'declined_after_payment';

/** @param state before the report */
export function contradictionOf(
  { verdict }: RailReport,
  state: Collection,
): Contradiction | undefined {
  if (verdict.kind === 'paid' && state.status === 'failed' && state.push.kind !== 'rejected')
    return 'paid_after_decline';
  const hasMoney = state.status === 'completed' || state.status === 'in_suspense';
  return verdict.kind === 'declined' && hasMoney ? 'declined_after_payment' : undefined;
}
