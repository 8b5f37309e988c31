import {
  type CommandMetadata,
  type EventRecord,
  type Loaded,
  type Pipeline,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { isStillPermitted } from '#domain/people';
import { type ReceiptUse } from './receipt-use.js';
import { type Reviewable, type ReviewSubject } from './review-subject.js';
import {
  isAskedSince,
  type OpenProposal,
  overtakingRefusals,
  type Proposal,
  proposingAction,
  receiptOf,
  type ReviewProposals,
} from './ruling.js';

/**
 * The refusals of a confirmation, in the order in which they are checked (REV-10).
 * - `no_proposal`: none is open.
 * - `proposal_replaced`: the open proposal is not the one to confirm.
 * - `overtaken`: later events rule it out. It is ended.
 * - `proposer_lost_role`: the proposer may no longer decide (PEO-16).
 * - The item's own refusals follow: those of the ruling, then that of the records.
 * - `receipt_taken`: another item has the receipt.
 */
export type ConfirmationRefusal =
  'no_proposal' | 'proposal_replaced' | 'overtaken' | 'proposer_lost_role' | 'receipt_taken';

/** The confirmed proposal, and the item's state after it. */
export interface Confirmed<State> {
  readonly proposal: Proposal;
  readonly state: State;
}

export interface Confirmation {
  /** The proposal that the operator has read; undefined for the open one. */
  readonly proposalId: string | undefined;
  /** Its actor is the operator. Without a reason of their own, the event has the proposer's. */
  readonly metadata: CommandMetadata;
}

export interface ConfirmationPorts {
  readonly pipeline: Pipeline;
  readonly proposals: ReviewProposals;
  readonly receipts: ReceiptUse;
}

const maxAttempts = 8;

/**
 * A second operator agrees to the open proposal of an item. Appends the decision, settles it, then ends the proposal.
 * The event has the proposal as its cause, so a repeat after a crash in between finds it in history and appends nothing.
 * Safe to repeat until it succeeds.
 * @throws DependencyUnavailable; WrongExpectedRevision after eight lost races
 */
export async function confirmProposal<
  State extends Reviewable,
  Event extends EventRecord,
  Refusal extends string,
>(
  ports: ConfirmationPorts,
  subject: ReviewSubject<State, Event, Refusal>,
  confirmation: Confirmation,
): Promise<Result<Confirmed<State>, Refusal | ConfirmationRefusal>> {
  for (let attempt = 1; ; attempt += 1) {
    const done = await confirmOnce(ports, subject, confirmation);
    if (done.ok) return done;
    if (done.refusal !== 'moved') return refuse(done.refusal);
    if (attempt === maxAttempts) throw new WrongExpectedRevision(subject.stream, 'no_stream');
  }
}

/**
 * Reads the stream first. The append names that revision, so if another event came first, everything checked in between
 * (the proposal and the receipt's claim) is checked again.
 */
async function confirmOnce<
  State extends Reviewable,
  Event extends EventRecord,
  Refusal extends string,
>(
  ports: ConfirmationPorts,
  subject: ReviewSubject<State, Event, Refusal>,
  { proposalId, metadata }: Confirmation,
): Promise<Result<Confirmed<State>, Refusal | ConfirmationRefusal | 'moved'>> {
  const { pipeline, proposals, receipts } = ports;
  const { decider, mode, stream } = subject;
  const before = await pipeline.load(subject);
  const proposal = await proposals.findOpen(stream);
  if (!proposal) return refuse('no_proposal');
  if (proposalId !== undefined && proposalId !== proposal.id) return refuse('proposal_replaced');
  const decision = await decide({ pipeline, subject, metadata }, proposal, before);
  if (!decision.ok) {
    if (decision.refusal === 'overtaken') await proposals.end(proposal.id, 'overtaken');
    return decision;
  }
  const contradicted = await subject.contradicted?.(proposal, before, metadata);
  if (contradicted !== undefined) {
    await proposals.end(proposal.id, 'overtaken');
    return refuse(contradicted);
  }
  // From here until the append, no rejection is acknowledged (REV-11).
  const claim = pipeline.newId();
  const isOpen = decision.value.length === 0 || (await proposals.claim(proposal.id, claim));
  if (!isOpen) return refuse('no_proposal');
  const use = { mode, stream, receipt: receiptOf(proposal.ruling), revision: before.revision };
  // Claimed only if something is appended: a stream that never changes again would keep the receipt for ever.
  const isFree = decision.value.length === 0 || (await receipts.take(use));
  if (!isFree) {
    await proposals.release(proposal.id, claim);
    return refuse('receipt_taken');
  }
  const { id: causationId, reason } = proposal;
  const step = { decider, stream, metadata: { reason, ...metadata, causationId } };
  const done = await pipeline.appendTo(step, before, decision.value);
  if (!done.ok) return done;
  if (done.value.appended) await receipts.noteAppended(use);
  const { state } = (await subject.settle?.(step, done.value)) ?? done.value;
  await proposals.end(proposal.id, 'decided');
  return ok({ proposal, state });
}

/** @returns no events if the proposal was decided before */
async function decide<State extends Reviewable, Event extends EventRecord, Refusal extends string>(
  {
    pipeline,
    subject,
    metadata: { actor },
  }: {
    readonly pipeline: Pipeline;
    readonly subject: ReviewSubject<State, Event, Refusal>;
    readonly metadata: CommandMetadata;
  },
  proposal: OpenProposal,
  loaded: Loaded<State, Event>,
): Promise<Result<readonly Event[], Refusal | 'overtaken' | 'proposer_lost_role'>> {
  const { id, ruling, reason, proposedBy, proposedAt } = proposal;
  if (loaded.state.decidedProposal === id) return ok([]);
  if (isAskedSince(proposal, loaded.events)) return refuse('overtaken');
  if (subject.hasChanged?.(proposal, loaded)) return refuse('overtaken');
  const deciders = { reason, proposedBy, confirmedBy: actor.id };
  const two = { ...deciders, mode: subject.mode, proposedAt };
  const actions = [proposingAction(ruling), 'reviews.decide'] as const;
  if (!(await isStillPermitted(pipeline, actions, two))) return refuse('proposer_lost_role');
  const decision = await subject.decide(ruling, deciders, loaded.state);
  if (decision.ok) return decision;
  return refuse(isOvertaken(decision.refusal) ? 'overtaken' : decision.refusal);
}

function isOvertaken(refusal: string): boolean {
  return overtakingRefusals.some((each) => each === refusal);
}
