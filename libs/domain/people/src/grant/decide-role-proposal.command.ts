import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { wasSuspendedSince } from '../still-permitted.js';
import { RoleProposals } from '../role-proposals.js';
import { roleStream } from '../role.events.js';
import { isAdmin, roleDecider } from '../roles.js';
import { decideGrant, type GrantRefusal } from '../roles.decide.js';

/** `no_proposal`: no open proposal has this id; after 24 h none is open. */
export type RoleProposalRefusal = GrantRefusal | 'no_proposal';

/**
 * A second admin agrees to a proposed role, or an admin declines it. The proposer may decline it too, to withdraw it.
 * Safe to repeat until it succeeds.
 */
export class DecideRoleProposal extends Command<Result<undefined, RoleProposalRefusal>> {
  constructor(
    readonly proposalId: string,
    readonly verdict: 'confirm' | 'decline',
    /** Its actor is the admin. Without a reason of their own, the event has the proposer's. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/**
 * Appends the grant, then ends its proposal. The event has the proposal as its cause, so a repeat after a crash in
 * between finds it in history and appends nothing, even if the role was revoked since.
 */
@CommandHandler(DecideRoleProposal)
export class DecideRoleProposalHandler implements ICommandHandler<DecideRoleProposal> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: RoleProposals,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    proposalId,
    verdict,
    metadata,
  }: DecideRoleProposal): Promise<Result<undefined, RoleProposalRefusal>> {
    const { id: by } = metadata.actor;
    const step = { decider: roleDecider, stream: roleStream, metadata };
    const before = await this.pipeline.load(step);
    if (!isAdmin(before.state, by)) return refuse('not_admin');
    if (before.state.confirmed.has(proposalId)) {
      await this.proposals.end(proposalId, 'decided', by);
      return verdict === 'confirm' ? ok(undefined) : refuse('no_proposal');
    }
    const proposal = await this.proposals.findOpen(proposalId);
    if (!proposal) return refuse('no_proposal');
    if (verdict === 'decline') {
      await this.proposals.end(proposalId, 'declined', by);
      return ok(undefined);
    }
    const { terms, proposedBy, proposedAt, reason } = proposal;
    if (wasSuspendedSince(before.events, proposedBy, proposedAt))
      return refuse('proposer_not_admin');
    const caused = { ...step, metadata: { reason, ...metadata, causationId: proposalId } };
    const done = await this.pipeline.run(
      caused,
      (state) =>
        state.confirmed.has(proposalId)
          ? ok([])
          : decideGrant(terms, { proposedBy, confirmedBy: by }, state),
      before,
    );
    if (!done.ok) return done;
    await this.proposals.end(proposalId, 'decided', by);
    return ok(undefined);
  }
}
