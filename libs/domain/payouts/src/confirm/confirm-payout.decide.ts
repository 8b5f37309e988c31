import { type RailConfirmed, type RailReceiptRecorded, type Verdict } from '#domain/rails';
import { asked } from '#domain/reviews';
import { assertNever, ok, refuse, type Result } from '#domain/kernel';
import { payoutPosting, stillAskedOncePaid } from '../funds/payout-funds.decide.js';
import {
  type CompletedPayout,
  type FailedPayout,
  type Payment,
  type Payout,
  type Started,
} from '../payout.js';
import {
  type PayoutDeclined,
  type PayoutEvent,
  type PayoutReviewFlagged,
  type PayoutReviewReason,
} from '../payout.events.js';

/** The rail's report on the outcome of a payout, and its degree of trust (PAY-12). */
export interface PayoutReport {
  readonly by: 'callback' | 'query';
  readonly originatorConversationId: string;
  /** The rail's name for the payment, if the report has it. */
  readonly conversationId?: string;
  /** The receipt of the payment that was reversed, if the report is about a reversal and names it. */
  readonly reverses?: string;
  /** True if it came from the rail's own addresses, or answers a query of ours that no other party knows of. */
  readonly isTrusted: boolean;
  /**
   * True if the previous query gave the same. Only then does a query's decline count, as for collections (RAIL-15).
   */
  readonly repeated?: boolean;
  readonly verdict: Verdict;
}

/**
 * `not_corroborated`: the report alone settles nothing, so query the rail. `not_sent`: the rail reports a payment that
 * was never sent by the log; it is listed for review (PAY-62).
 */
export type ConfirmPayoutRefusal = 'unknown_payout' | 'not_corroborated' | 'not_sent';

type Paid = Extract<Verdict, { kind: 'paid' }>;
type Unresolved = Extract<Verdict, { kind: 'unresolved' }>;
type Sent = Started | CompletedPayout | FailedPayout;

/**
 * Decides the events that the rail's report adds to a payout. Money leaves the wallet once. If the funds are still
 * reserved, the posting comes with the confirmation. After a decline only the confirmation is recorded, and the posting
 * follows when the funds are reserved again (`PayoutFunds`). A repeated report adds nothing.
 * @param railCommitment commitment to the evidence of this report
 */
export function decideConfirmPayout(
  report: PayoutReport,
  state: Payout,
  railCommitment: string | undefined,
): Result<readonly PayoutEvent[], ConfirmPayoutRefusal> {
  if (state.status === 'none') return refuse('unknown_payout');
  if (!isSent(state) && isTrustedPayment(report)) return refuse('not_sent');
  const isHeard = isSent(state) && isBelieved(report, state);
  if (report.verdict.kind === 'unresolved')
    return ok(isHeard ? afterUnresolved(report.verdict, state) : []);
  if (!isHeard) return refuse('not_corroborated');
  switch (report.verdict.kind) {
    case 'paid':
      return ok(afterPayment(report, report.verdict, state, railCommitment));
    case 'declined':
      return ok(afterDecline(report, report.verdict.failureCode, state));
    default:
      return assertNever(report.verdict);
  }
}

/** True if the rail itself reports that money left its account. */
export function isTrustedPayment({ isTrusted, verdict }: PayoutReport): boolean {
  const isPayment = verdict.kind === 'unresolved' ? verdict.isSuccess : verdict.kind === 'paid';
  return isTrusted && isPayment === true;
}

/**
 * Lists a payout for review that was never sent by the log, but that the rail reports as paid in a trusted report. A
 * person must check it, once for each payment (PAY-62).
 */
export function decidePaidUnsent(state: Payout): readonly PayoutReviewFlagged[] {
  return state.status === 'none' || isSent(state) ? [] : asked('paid_unsent', state);
}

function isSent(state: Payout): state is Sent {
  return state.status === 'started' || state.status === 'completed' || state.status === 'failed';
}

/**
 * True if the report is trusted and names the order by our own name or by the name in the rail's answer to the order. A
 * success may name the reversed receipt instead: the rail reverses a payment once. A decline may be another order's
 * (REF-6).
 */
function isBelieved(report: PayoutReport, state: Sent): boolean {
  if (!report.isTrusted) return false;
  if (report.originatorConversationId === state.originatorConversationId) return true;
  const { reverses } = state.request.refund ?? {};
  const isDecline = report.verdict.kind === 'declined';
  if (!isDecline && reverses !== undefined && report.reverses === reverses) return true;
  return state.conversationId !== undefined && report.conversationId === state.conversationId;
}

function afterPayment(
  report: PayoutReport,
  paid: Paid,
  state: Sent,
  railCommitment: string | undefined,
): readonly PayoutEvent[] {
  if (paid.amountMinor !== undefined && paid.amountMinor !== state.request.amountMinor)
    return asked('payout_amount_differs', state);
  switch (state.status) {
    case 'started':
      return [
        ...learnt(report, state),
        confirmation(report, paid),
        payoutPosting(state, railCommitment),
        ...stillAskedOncePaid(state),
      ];
    case 'failed':
      return state.paidLate
        ? paidAgain(paid, state.paidLate, state)
        : [...learnt(report, state), confirmation(report, paid)];
    case 'completed':
      return paidAgain(paid, state, state);
    default:
      return assertNever(state);
  }
}

/**
 * A success after the one that settled it. It brings the missing receipt, or it is other money, which is flagged for
 * review.
 */
function paidAgain(
  { receipt, amountMinor, paidAt }: Paid,
  { receipt: known }: Payment,
  state: Sent,
): readonly PayoutEvent[] {
  if (receipt === undefined || receipt === known) return [];
  if (known !== undefined) return asked('second_receipt', state);
  const data: RailReceiptRecorded['data'] = {
    receipt,
    amountMinor: amountMinor ?? state.request.amountMinor,
    ...(paidAt === undefined ? {} : { paidAt }),
  };
  return [{ type: 'RailReceiptRecorded', data }];
}

/**
 * A success with an unreadable amount posts nothing. It still means that money left the rail's account, so it is
 * flagged for review. If the payout is posted, another receipt than the posted one is other money.
 */
function afterUnresolved({ isSuccess, receipt }: Unresolved, state: Sent): readonly PayoutEvent[] {
  const posted = state.status === 'failed' ? state.paidLate : state;
  if (state.status === 'started' || !posted)
    return isSuccess ? asked('payout_amount_unreadable', state) : [];
  const { receipt: known } = posted;
  const isOther = receipt !== undefined && known !== undefined && receipt !== known;
  return isOther ? asked('second_receipt', state) : [];
}

/**
 * A decline fails only an open payout. Timeouts are no declines, and release nothing. If the rail's own result denies a
 * posted payment, it is flagged for review, unless it repeats the decline before a late success.
 */
function afterDecline(
  report: PayoutReport,
  failureCode: string,
  state: Sent,
): readonly PayoutEvent[] {
  if (state.status === 'completed' && report.by === 'callback' && !state.wasDeclined)
    return asked('declined_after_payment', state);
  if (state.status !== 'started') return [];
  if (report.by === 'query' && !report.repeated) return [];
  return [...learnt(report, state), ...afterDeclined(report.by, failureCode, state)];
}

/** If the answer to the order was lost, the report supplies its content. */
function learnt({ conversationId }: PayoutReport, state: Sent): readonly PayoutEvent[] {
  if (conversationId === undefined || state.conversationId !== undefined) return [];
  return [{ type: 'RailPayoutAccepted', data: { conversationId } }];
}

function confirmation({ by }: PayoutReport, { kind: _kind, ...told }: Paid): RailConfirmed {
  return { type: 'RailConfirmed', data: { by, ...told } };
}

/** Questions after a sign that money left the rail's account. A decline contradicts it, and does not answer them. */
const unansweredByDecline: readonly PayoutReviewReason[] = [
  'payout_amount_differs',
  'payout_amount_unreadable',
  'opened_by_operator',
];

/**
 * The rail's decline of an open payout. If there is a sign that the money left, the decline releases nothing, because
 * the merchant would then pay again. Two operators decide.
 */
export function afterDeclined(
  by: PayoutDeclined['data']['by'],
  failureCode: string,
  { questions }: Started,
): readonly PayoutEvent[] {
  if (questions.some((why) => unansweredByDecline.includes(why))) return [];
  return [declined(by, failureCode)];
}

/** The decline of a payout: by a result, a repeated query, or the rail's answer to the order itself. */
export function declined(by: PayoutDeclined['data']['by'], failureCode: string): PayoutDeclined {
  return { type: 'RailDeclined', data: { by, failureCode } };
}
