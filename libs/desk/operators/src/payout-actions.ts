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
      return [{ by: 'service', code: 'reserves_payout' }];
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
          },
          expires,
        ];
      if (since === undefined) return [{ by: 'service', code: 'sends_payout' }, expires];
      const reviewed = after(since, schedule.floatWaitMs);
      return [
        {
          by: 'service',
          code: 'sends_when_covered',
        },
        {
          by: 'service',
          code: 'lists_when_not_covered',
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
      return [{ by: 'nobody', code: 'completed' }];
    case 'rejected':
      return [
        {
          by: 'nobody',
          code: 'payout_rejected',
        },
      ];
    default:
      return assertNever(state);
  }
}

const latePosting: NextAction = {
  by: 'service',
  code: 'posts_late_payout',
};
const failure: NextAction = {
  by: 'nobody',
  code: 'payout_failed',
};

/** A payout of a batch is decided together with the batch (PAY-19). */
function approval(state: PayoutCase['state']): NextAction {
  const { holder, batch } = state.request;
  if (batch === undefined || !waitsForItsBatch(state)) {
    return { by: 'person', code: 'approves_payout', values: [holder] };
  }
  return { by: 'person', code: 'approves_its_batch', values: [holder, batch] };
}

function expiry(
  events: readonly RecordedEvent<PayoutEvent>[],
  { maxAgeMs }: RailSchedule,
): NextAction {
  const approved = events.findLast(({ type }) => type === 'PayoutApproved');
  return {
    by: 'service',
    code: 'needs_new_approval',
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
    ...(sent === undefined ? {} : { at: after(sent, reviewAfterMs) }),
  };
}

function sentAt(events: readonly RecordedEvent<PayoutEvent>[]) {
  return events.find(({ type }) => type === 'RailPayoutStarted')?.recordedAt;
}
