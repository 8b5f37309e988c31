import { type RecordedEvent } from '#domain/event-sourcing';
import { assertNever, instantFromMs } from '#domain/kernel';
import { type PayoutEvent, waitsForItsBatch } from '#domain/payouts';
import { type PayoutCase } from './cases.js';
import { after, type NextAction, type RailSchedule } from './rail-schedule.js';

/** The next actions for a payout that is not under review. */
export function payoutActions(
  { state, events, asked, isPaused }: Pick<PayoutCase, 'state' | 'events' | 'asked' | 'isPaused'>,
  schedule: RailSchedule,
): readonly NextAction[] {
  switch (state.status) {
    case 'requested':
      return [
        { by: 'service', code: 'reserves_payout', what: 'reserves its money, or rejects it' },
      ];
    case 'reserved':
      return [approval(state)];
    case 'approved': {
      const since = state.waitingForFloatSince;
      const expires = expiry(events, schedule);
      if (isPaused)
        return [
          {
            by: 'service',
            code: 'paused_payout',
            what: 'sends it, once, when an operator has resumed payouts: they are paused',
          },
          expires,
        ];
      if (since === undefined)
        return [{ by: 'service', code: 'sends_payout', what: 'sends it, once' }, expires];
      const reviewed = after(since, schedule.floatWaitMs);
      return [
        {
          by: 'service',
          code: 'sends_when_covered',
          what: 'sends it, once, when the rail’s own account covers it',
        },
        {
          by: 'service',
          code: 'lists_when_not_covered',
          what: 'lists it for review, if that is not by then',
          at: reviewed,
        },
        expires,
      ];
    }
    case 'started':
      return [nextQuestion(asked, events, schedule), listing(events, schedule)];
    case 'failed':
      return state.paidLate ? [latePosting, failure] : [failure];
    case 'completed':
      return [{ by: 'nobody', code: 'completed', what: 'it is completed, which is final' }];
    case 'rejected':
      return [
        {
          by: 'nobody',
          code: 'payout_rejected',
          what: 'it is rejected, which is final: nothing was sent',
        },
      ];
    default:
      return assertNever(state);
  }
}

const latePosting: NextAction = {
  by: 'service',
  code: 'posts_late_payout',
  what: 'posts what the rail paid after its decline',
};
const failure: NextAction = {
  by: 'nobody',
  code: 'payout_failed',
  what: 'it has failed; what the rail says later that it paid is posted, once',
};

/** A payout of a batch is decided together with the batch (PAY-19). */
function approval(state: PayoutCase['state']): NextAction {
  const { holder, batch } = state.request;
  if (batch === undefined || !waitsForItsBatch(state)) {
    const what = `approves or rejects it, any but ${holder}: payout approve, payout reject`;
    return { by: 'person', code: 'approves_payout', values: [holder], what };
  }
  const what = `approves or rejects its batch, any but ${holder}: payout batch approve ${batch}, or reject`;
  return { by: 'person', code: 'approves_its_batch', values: [holder, batch], what };
}

function expiry(
  events: readonly RecordedEvent<PayoutEvent>[],
  { maxAgeMs }: RailSchedule,
): NextAction {
  const approved = events.findLast(({ type }) => type === 'PayoutApproved');
  return {
    by: 'service',
    code: 'needs_new_approval',
    what: 'sends it back to be approved anew, if it was not sent by then',
    ...(approved ? { at: after(approved.recordedAt, maxAgeMs) } : {}),
  };
}

function nextQuestion(
  asked: PayoutCase['asked'],
  events: readonly RecordedEvent<PayoutEvent>[],
  { queryDelaysMs: [firstMs = 0] }: RailSchedule,
): NextAction {
  const sent = sentAt(events);
  const at = asked ? instantFromMs(asked.dueAt.getTime()) : sent && after(sent, firstMs);
  const question = (asked?.asked ?? 0) + 1;
  return {
    by: 'service',
    code: 'asks_about_payout',
    values: [question],
    what: `asks the rail, question ${question}; nothing is sent again`,
    ...(at === undefined ? {} : { at }),
  };
}

function listing(
  events: readonly RecordedEvent<PayoutEvent>[],
  { reviewAfterMs }: RailSchedule,
): NextAction {
  const sent = sentAt(events);
  return {
    by: 'service',
    code: 'lists_for_review',
    what: 'lists it for review, if nothing was heard by then',
    ...(sent === undefined ? {} : { at: after(sent, reviewAfterMs) }),
  };
}

function sentAt(events: readonly RecordedEvent<PayoutEvent>[]) {
  return events.find(({ type }) => type === 'RailPayoutStarted')?.recordedAt;
}
