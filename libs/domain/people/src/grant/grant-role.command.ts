import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { merchantStream } from '#domain/merchants';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type OpenRoleProposal, RoleProposals } from '../role-proposals.js';
import { roleStream, type RoleTerms } from '../role.events.js';
import { roleDecider } from '../roles.js';
import { decideGrant, type GrantRefusal } from '../roles.decide.js';

/** `proposed`: another admin must confirm it. */
export type GrantedRole =
  { readonly kind: 'granted' } | { readonly kind: 'proposed'; readonly proposal: OpenRoleProposal };

export type GrantRoleRefusal = GrantRefusal | 'unknown_merchant';

/** An admin grants a role to a person. In the metadata the actor is the admin, and the reason is required. */
export class GrantRole extends Command<Result<GrantedRole, GrantRoleRefusal>> {
  constructor(
    readonly terms: RoleTerms,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

/** Grants, or proposes if two admins must agree (PEO-5). */
@CommandHandler(GrantRole)
export class GrantRoleHandler implements ICommandHandler<GrantRole> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: RoleProposals,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({ terms, metadata }: GrantRole): Promise<Result<GrantedRole, GrantRoleRefusal>> {
    const { merchantId } = terms;
    if (merchantId !== undefined) {
      const registered = await this.pipeline.firstEventId(merchantStream(merchantId));
      if (registered === undefined) return refuse('unknown_merchant');
    }
    const proposedBy = metadata.actor.id;
    const step = { decider: roleDecider, stream: roleStream, metadata };
    const done = await this.pipeline.run(step, (state) =>
      decideGrant(terms, { proposedBy }, state),
    );
    if (done.ok) return ok({ kind: 'granted' });
    if (done.refusal !== 'second_admin_needed') return done;
    const id = this.pipeline.newId();
    const { reason } = metadata;
    const proposal = await this.proposals.open({ id, terms, reason, proposedBy });
    return ok({ kind: 'proposed', proposal });
  }
}
