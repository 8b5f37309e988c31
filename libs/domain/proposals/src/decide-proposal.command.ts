import { type CommandMetadata } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Admins } from './admins.js';
import { type OpenProposal, type ProposalKind, Proposals } from './proposal.js';
import { ProposalSubjects } from './subject.js';

/** `value`: the change's result, such as a secret that is shown only now; absent if it was confirmed before. */
export interface DecidedProposal {
  readonly kind?: ProposalKind;
  readonly value?: object;
}

/**
 * `no_proposal`: no open proposal has this id; after 24 h none is open. `taken`: another admin is confirming it.
 * `not_admin`: the person who decides now is not an admin. `proposer_not_admin`: the proposer is no longer an admin, or
 * may be the person who confirms (PEO-17). `changed`: the values to replace are not those that were seen. `refused`:
 * its own subject refuses it now, with a reason.
 */
export type DecideProposalRefusal =
  | 'no_proposal'
  | 'taken'
  | 'not_admin'
  | 'same_admin'
  | 'proposer_not_admin'
  | 'changed'
  | `refused:${string}`;

/**
 * A second admin agrees to exactly the proposed change, or an admin declines it. The proposer's decline withdraws it.
 * Safe to repeat.
 */
export class DecideProposal extends Command<Result<DecidedProposal, DecideProposalRefusal>> {
  constructor(
    readonly proposalId: string,
    readonly verdict: 'confirm' | 'decline',
    /** Its actor is the admin. Without a reason of their own, the event has the proposer's. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(DecideProposal)
export class DecideProposalHandler implements ICommandHandler<DecideProposal> {
  constructor(
    private readonly subjects: ProposalSubjects,
    private readonly proposals: Proposals,
    private readonly admins: Admins,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    proposalId,
    verdict,
    metadata,
  }: DecideProposal): Promise<Result<DecidedProposal, DecideProposalRefusal>> {
    const by = metadata.actor.id;
    if ((await this.admins.standingOf(by)) !== 'admin') return refuse('not_admin');
    const proposal = await this.proposals.findOpen(proposalId);
    if (!proposal) {
      const isRepeated = verdict === 'confirm' && (await this.proposals.wasConfirmed(proposalId));
      return isRepeated ? ok({}) : refuse('no_proposal');
    }
    if (verdict === 'confirm') return this.confirm(proposal, metadata);
    const outcome = proposal.proposedBy === by ? 'withdrawn' : 'declined';
    return (await this.proposals.end(proposalId, outcome, by)) ? ok({}) : refuse('taken');
  }

  /** Checks that both are admins when it takes effect (PEO-32). */
  private async confirm(
    proposal: OpenProposal,
    metadata: CommandMetadata,
  ): Promise<Result<DecidedProposal, DecideProposalRefusal>> {
    const { id, kind, details, seen, reason, proposedBy, proposedAt } = proposal;
    const confirmedBy = metadata.actor.id;
    if (proposedBy === confirmedBy) return refuse('same_admin');
    if (!this.admins.areTwo(proposedBy, confirmedBy)) return refuse('proposer_not_admin');
    if ((await this.admins.standingOf(proposedBy)) !== 'admin') return refuse('proposer_not_admin');
    if (await this.admins.wasSuspendedSince(proposedBy, proposedAt))
      return refuse('proposer_not_admin');
    if (!(await this.proposals.take(id, confirmedBy))) return refuse('taken');
    const subject = this.subjects.of(kind);
    const done = await subject.carryOut(
      subject.read(details),
      { by: 'two', proposalId: id, seen, proposedBy, confirmedBy },
      { reason, ...metadata, causationId: id },
    );
    if (!done.ok) {
      await this.proposals.giveBack(id, confirmedBy);
      const { refusal } = done;
      return refuse(refusal === 'changed' ? refusal : (`refused:${refusal}` as const));
    }
    await this.proposals.end(id, 'confirmed', confirmedBy);
    return ok({ kind, ...(done.value === undefined ? {} : { value: done.value }) });
  }
}
