import { type RecordedCollection } from '#domain/collections';
import { assertNever, type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import { type CaseFile } from '#records/rails';
import { type Case, type CollectionCase } from './cases.js';
import { payoutActions } from './payout-actions.js';
import { after, type NextAction, type RailSchedule } from './rail-schedule.js';

/** Lists what the service will do by itself, and what only a person can do. */
export function nextActions(found: Case, schedule: RailSchedule): readonly NextAction[] {
  if (found.type === 'collection') return collectionActions(found, schedule);
  const own = found.state.underReview ? [review] : payoutActions(found, schedule);
  return [...own, ...inboxTries(found.file)];
}

export function collectionActions(
  { state, events, file }: Pick<CollectionCase, 'state' | 'events' | 'file'>,
  schedule: RailSchedule,
): readonly NextAction[] {
  const intentAt = events[0]?.recordedAt;
  if (!intentAt) throw new TypeError('a collection begins with its intent');
  const own = state.underReview ? [review] : ofStatus(state, file, schedule, intentAt);
  return [...own, ...inboxTries(file)];
}

const review: NextAction = {
  by: 'person',
  code: 'decides_review',
};

function ofStatus(
  state: RecordedCollection,
  file: CaseFile,
  schedule: RailSchedule,
  intentAt: Instant,
): readonly NextAction[] {
  switch (state.status) {
    case 'pending':
      return [
        state.push.kind === 'accepted'
          ? (nextQuery(file, schedule, intentAt) ?? allQueriesMade(schedule))
          : waitsForCallback,
        {
          by: 'service',
          code: 'lists_for_review',
          at: after(intentAt, schedule.reviewAfterMs),
        },
      ];
    case 'in_suspense':
      return [review];
    case 'completed':
      return [{ by: 'nobody', code: 'completed' }];
    case 'failed': {
      const query = state.push.kind === 'accepted' && nextQuery(file, schedule, intentAt);
      return [
        ...(query ? [query] : []),
        {
          by: 'nobody',
          code: 'failed',
        },
      ];
    }
    case 'refunded':
      return [{ by: 'nobody', code: 'money_went_back' }];
    default:
      return assertNever(state);
  }
}

const waitsForCallback: NextAction = {
  by: 'service',
  code: 'waits_for_callback',
};

function allQueriesMade({ queryDelaysMs: { length } }: RailSchedule): NextAction {
  return {
    by: 'service',
    code: 'all_queries_made',
    values: [length],
  };
}

/** Counts as the worker does: an attempt under way or without a conclusion does not count. Undefined after the last one. */
function nextQuery(
  { queries }: CaseFile,
  { queryDelaysMs }: RailSchedule,
  intentAt: Instant,
): NextAction | undefined {
  const made = queries.filter(({ outcome }) => outcome !== 'asking');
  const asked = Math.max(0, ...made.map(({ attempt }) => attempt));
  const delayMs = queryDelaysMs[asked];
  if (delayMs === undefined) return undefined;
  const askedAt = made.at(-1)?.attemptedAt.getTime();
  const byDelay = msFromInstant(intentAt) + delayMs;
  const byGap = askedAt === undefined ? 0 : askedAt + delayMs - (queryDelaysMs[asked - 1] ?? 0);
  return {
    by: 'service',
    code: 'asks_rail',
    values: [asked + 1, queryDelaysMs.length],
    at: instantFromMs(Math.max(byDelay, byGap)),
  };
}

function inboxTries({ inbox }: CaseFile): readonly NextAction[] {
  return inbox
    .filter(({ appliedAt }) => appliedAt === null)
    .map(({ receivedAt, nextAttemptAt, outcome }) => ({
      by: 'service',
      code: 'tries_callback',
      values: [instantFromMs(receivedAt.getTime()), ...(outcome === null ? [] : [outcome])],
      at: instantFromMs(nextAttemptAt.getTime()),
    }));
}
