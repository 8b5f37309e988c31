import { type CommandMetadata, type EventRecord, type Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { isReceiptFree, type UsedReceipts } from './receipt-use.js';
import { type Reviewable, type ReviewSubject } from './review-subject.js';
import {
  isAskedSince,
  type Proposal,
  receiptOf,
  type ReviewProposals,
  type Ruling,
} from './ruling.js';

/** `receipt_taken`: another item has it. `receipt_proposed`: another item's open proposal names it. */
export type ProposalRefusal = 'receipt_taken' | 'receipt_proposed';

export interface ProposalPorts {
  readonly pipeline: Pipeline;
  readonly proposals: ReviewProposals;
  readonly receipts: UsedReceipts;
}

/**
 * Proposes a ruling on an item under review, which changes nothing until another operator confirms it. An open proposal
 * of the item is replaced.
 * @throws DependencyUnavailable
 */
export async function proposeRuling<
  State extends Reviewable,
  Event extends EventRecord,
  Refusal extends string,
>(
  ports: ProposalPorts,
  subject: ReviewSubject<State, Event, Refusal>,
  request: {
    readonly ruling: Ruling;
    readonly metadata: CommandMetadata & { readonly reason: string };
  },
): Promise<Result<Proposal, Refusal | ProposalRefusal>> {
  const { pipeline, proposals, receipts } = ports;
  const { ruling, metadata } = request;
  const { mode, stream } = subject;
  const { state, revision } = await pipeline.load(subject);
  const checked = subject.check(ruling, state);
  if (!checked.ok) return checked;
  const receipt = receiptOf(ruling);
  if (!(await isReceiptFree(receipts, { mode, stream, receipt }))) return refuse('receipt_taken');
  // The process may have died between the decision and the proposal's end.
  const decided = state.decidedProposal;
  if (decided !== undefined) await proposals.end(decided, 'decided');
  const proposal: Proposal = {
    id: pipeline.newId(),
    stream,
    ...(revision === 'no_stream' ? {} : { revision }),
    ruling,
    reason: metadata.reason,
    proposedBy: metadata.actor.id,
  };
  let opened = await proposals.open(proposal);
  if (!opened.ok && receipt !== undefined && (await endOvertaken(ports, subject, receipt)))
    opened = await proposals.open(proposal);
  return opened.ok ? ok(proposal) : opened;
}

/**
 * Ends a proposal that the rail's report has overtaken. It can never be confirmed, and must not keep its receipt from
 * others. Proposals of another kind of item are ended by the commands of that kind.
 * @returns true if the receipt's open proposal, if any, was overtaken
 */
async function endOvertaken<
  State extends Reviewable,
  Event extends EventRecord,
  Refusal extends string,
>(
  { pipeline, proposals }: ProposalPorts,
  subject: ReviewSubject<State, Event, Refusal>,
  receipt: string,
): Promise<boolean> {
  const other = await proposals.findOpenByReceipt(subject.mode, receipt);
  if (!other) return true;
  const sibling = subject.sibling(other.stream);
  if (!sibling) return false;
  const { state, events } = await pipeline.load(sibling);
  const isDecided = state.decidedProposal === other.id;
  const isOpen = sibling.check(other.ruling, state).ok && !isAskedSince(other, events);
  if (!isDecided && isOpen) return false;
  await proposals.end(other.id, isDecided ? 'decided' : 'overtaken');
  return true;
}
