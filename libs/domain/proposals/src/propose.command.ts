import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Admins } from './admins.js';
import { type OpenProposal, Proposals } from './proposal.js';
import { type Change, ProposalSubjects } from './subject.js';

/** `proposed`: nothing has changed yet, and another admin must confirm. */
export type Proposed<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'proposed'; readonly proposal: OpenProposal };

/**
 * `not_admin`: the change needs two admins, and the actor is not one. `no_admins`: it needs two, and the log never had
 * a role (PEO-31). `changed`: it has needed two since a moment ago.
 */
export type ProposeRefusal = 'not_admin' | 'no_admins' | 'changed';

/** Makes a change, or proposes it if it needs two admins (PEO-30). In the metadata the reason is required. */
export class Propose<
  Details,
  Value extends object | undefined,
  Refusal extends string,
> extends Command<Result<Proposed<Value>, Refusal | ProposeRefusal>> {
  constructor(
    readonly change: Change<Details, Value, Refusal>,
    readonly details: Details,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

type AnyPropose = Propose<unknown, object | undefined, string>;

@CommandHandler(Propose)
export class ProposeHandler implements ICommandHandler<AnyPropose> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly subjects: ProposalSubjects,
    private readonly proposals: Proposals,
    private readonly admins: Admins,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    change,
    details: given,
    metadata,
  }: AnyPropose): Promise<Result<Proposed<object | undefined>, string>> {
    const subject = this.subjects.of(change.kind);
    const written = subject.write(given);
    const details = subject.read(written);
    const proposedBy = metadata.actor.id;
    const weighed = await subject.weigh(details, proposedBy);
    if (!weighed.ok) return weighed;
    const { needsTwo, ...about } = weighed.value;
    if (!needsTwo) {
      const done = await subject.carryOut(details, { by: 'one' }, metadata);
      if (done.ok) return ok({ kind: 'done', value: done.value });
      return done.refusal === 'second_admin_needed' ? refuse('changed') : done;
    }
    const standing = await this.admins.standingOf(proposedBy);
    if (standing !== 'admin') return refuse(standing === 'no_roles' ? 'no_admins' : 'not_admin');
    const proposal = await this.proposals.open({
      ...about,
      id: this.pipeline.newId(),
      kind: change.kind,
      details: written,
      reason: metadata.reason,
      proposedBy,
    });
    return ok({ kind: 'proposed', proposal });
  }
}
