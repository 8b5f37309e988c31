import {
  type CommandMetadata,
  type Decider,
  type EventRecord,
  type Pipeline,
} from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { type Reviewable } from './review-subject.js';
import { isSameOperator, type ReviewProposals } from './ruling.js';

/**
 * - `no_proposal`: none is open, or it was confirmed.
 * - `proposal_replaced`: the open proposal is not the one that the operator read.
 * - `being_confirmed`: a confirmation has claimed it and may be appended at this moment.
 */
export type DeclineRefusal = 'no_proposal' | 'proposal_replaced' | 'being_confirmed';

/** The proposer takes the proposal back (`withdrawn`), or another operator rejects it (`declined`). */
export type Declined = 'withdrawn' | 'declined';

export interface Declining {
  readonly proposalId: string;
  /** Its actor is the operator. Its reason is stored with the proposal. */
  readonly metadata: CommandMetadata;
}

/**
 * Ends an open proposal without a decision, so that its item waits for a new one (REV-11). It is a record, like the
 * proposal, and appends nothing. A confirmation that came first in the log wins.
 * @throws DependencyUnavailable
 */
export async function declineProposal<State extends Reviewable, Event extends EventRecord>(
  { pipeline, proposals }: { readonly pipeline: Pipeline; readonly proposals: ReviewProposals },
  subject: { readonly decider: Decider<State, Event>; readonly stream: string },
  { proposalId, metadata }: Declining,
): Promise<Result<Declined, DeclineRefusal>> {
  const proposal = await proposals.findOpen(subject.stream);
  if (!proposal) return refuse('no_proposal');
  if (proposal.id !== proposalId) return refuse('proposal_replaced');
  const { state } = await pipeline.load(subject);
  if (state.decidedProposal === proposalId) {
    // The process died after the decision: the record catches up with the log.
    await proposals.end(proposalId, 'decided');
    return refuse('no_proposal');
  }
  const { actor, reason } = metadata;
  const outcome = isSameOperator(proposal.proposedBy, actor.id) ? 'withdrawn' : 'declined';
  const isEnded = await proposals.decline(proposalId, { outcome, by: actor.id, reason });
  // A confirmation may have been appended since the log was read. The record then says so, and nothing was declined.
  const after = await pipeline.load(subject);
  if (after.state.decidedProposal === proposalId) {
    await proposals.end(proposalId, 'decided');
    return refuse('no_proposal');
  }
  if (isEnded) return ok(outcome);
  const open = await proposals.findOpen(subject.stream);
  return refuse(open?.id === proposalId ? 'being_confirmed' : 'no_proposal');
}
