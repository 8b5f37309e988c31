import { type RecordedEvent } from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import {
  type Case,
  type CollectionCase,
  type NextAction,
  openReviewCause,
  type PayoutCase,
} from '#desk/operators';
import { type StoredReviewProposal } from '#records/reviews';
import { nextText } from './case-text.js';

const at = (date: Date | null): string | null => date && instantFromMs(date.getTime());

/** The whole case as one object: the list item, each event as it is stored, and the records. */
export function caseJson(found: Case, next: readonly NextAction[]): object {
  const { type, key, state, events, file, proposals } = found;
  const review = state.underReview ? openReviewCause(events) : undefined;
  return {
    merchant_id: key.merchantId,
    mode: key.mode,
    type,
    ...(found.type === 'payout' ? payoutJson(found) : collectionJson(found)),
    review: review ? { why: review.why, since: review.since } : null,
    events: events.map(eventJson),
    status_queries: file.queries.map(({ attempt, attemptedAt, outcome }) => ({
      attempt,
      at: at(attemptedAt),
      outcome,
    })),
    inbox: file.inbox.map((row) => ({
      id: row.id,
      received_at: at(row.receivedAt),
      source_address: row.sourceAddress,
      trusted: row.trusted,
      tries: row.attempts,
      applied_at: at(row.appliedAt),
      next_try_at: row.appliedAt ? null : at(row.nextAttemptAt),
      outcome: row.outcome,
    })),
    rail_messages: file.messages.map(({ id, receivedAt }) => ({ id, received_at: at(receivedAt) })),
    proposals: proposals.map(proposalJson),
    next: next.map(nextJson),
  };
}

export function nextJson(action: NextAction): object {
  const { by, at } = action;
  return { by, what: nextText(action), ...(at === undefined ? {} : { at }) };
}

/** An event as it is stored. */
export function eventJson(event: RecordedEvent): object {
  const { id, type, revision, position, recordedAt, data, metadata } = event;
  return {
    id,
    type,
    revision,
    position,
    recorded_at: recordedAt,
    actor: metadata.actor,
    reason: metadata.reason ?? null,
    correlation_id: metadata.correlationId,
    data,
  };
}

function collectionJson({ item, state }: CollectionCase): object {
  return {
    collection: item,
    arrived_minor: state.status === 'in_suspense' ? state.arrivedMinor : null,
  };
}

function payoutJson({ item, state, asked }: PayoutCase): object {
  return {
    payout: item,
    asked_by: state.request.holder,
    approved_by: 'approvedBy' in state ? state.approvedBy : null,
    originator_conversation_id:
      'originatorConversationId' in state ? state.originatorConversationId : null,
    questions: asked
      ? { asked: asked.asked, asked_at: at(asked.askedAt), answer: asked.answer }
      : null,
  };
}

function proposalJson(proposal: StoredReviewProposal): object {
  return {
    id: proposal.id,
    decision: proposal.decision,
    receipt: proposal.receipt,
    amount_minor: proposal.amountMinor,
    paid_at: at(proposal.paidAt),
    reason: proposal.reason,
    proposed_by: proposal.proposedBy,
    proposed_at: at(proposal.proposedAt),
    ended_at: at(proposal.endedAt),
    outcome: proposal.outcome,
  };
}
