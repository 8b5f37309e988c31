import { instantFromMs } from '#domain/kernel';
import { type StoredReviewProposal } from '#adapters/records';
import { type Case } from './load-case.js';
import { type NextAction } from './next-actions.js';
import { causeOf } from './review-cause.js';

const at = (date: Date | null): string | null => date && instantFromMs(date.getTime());

/** The whole case as one object: the list item, each event as it is stored, and what the records hold. */
export function caseJson(
  { key, state, item, events, file, proposals }: Case,
  next: readonly NextAction[],
): object {
  const review = state.underReview ? causeOf(events) : undefined;
  return {
    merchant_id: key.merchantId,
    mode: key.mode,
    collection: item,
    arrived_minor: state.status === 'in_suspense' ? state.arrivedMinor : null,
    review: review ? { why: review.why, since: review.since } : null,
    events: events.map(({ id, type, revision, position, recordedAt, data, metadata }) => ({
      id,
      type,
      revision,
      position,
      recorded_at: recordedAt,
      actor: metadata.actor,
      reason: metadata.reason ?? null,
      correlation_id: metadata.correlationId,
      data,
    })),
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
    next,
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
