import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { merchantStream } from '#domain/merchants';
import {
  type Change,
  type Decided,
  type DecidedRefusal,
  type Json,
  type OpenProposal,
  type ProposalRow,
  type Proposals,
  ProposalSubject,
  type WeighedChange,
} from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { roleStream, type RoleTerms } from '../role.events.js';
import { roleDecider, roleFrom } from '../roles.js';
import { decideGrant, type GrantRefusal } from '../roles.decide.js';

export type GrantRoleRefusal = GrantRefusal | 'unknown_merchant';

/** Grants a role to a person. */
export const grantRole: Change<RoleTerms, undefined, GrantRoleRefusal> = { kind: 'role' };

/** A role that waits for a second admin. */
export type RoleProposal = OpenProposal & { readonly terms: RoleTerms };

/** The most role proposals that a person reads at once. */
export const mostRoleProposals = 500;

/**
 * Lists the roles that wait for a second admin, the oldest first.
 * @throws DependencyUnavailable
 */
export async function listRoleProposals(proposals: Proposals): Promise<readonly RoleProposal[]> {
  const open = await proposals.listOpen(mostRoleProposals, grantRole.kind);
  return open.map((proposal) => ({ ...proposal, terms: roleTermsFrom(proposal) }));
}

/** Reads the role in a proposal of the kind `role`. @throws TypeError if the row names no role, which is a defect */
export function roleTermsFrom({ details }: Pick<OpenProposal, 'details'>): RoleTerms {
  const { person, name, role, merchantId } = details as unknown as RoleTerms;
  const held = roleFrom(role, merchantId);
  if (!held) throw new TypeError(`no role is called ${role}`);
  return { ...held, person, name };
}

/** Needs two admins for a role that moves money, in demo mode too (PEO-5). */
@Injectable()
export class GrantRoleSubject extends ProposalSubject<RoleTerms, undefined, GrantRoleRefusal> {
  override readonly change = grantRole;

  constructor(private readonly pipeline: Pipeline) {
    super();
  }

  override write({ person, name, role, merchantId }: RoleTerms): Json {
    return { person, name, role, ...(merchantId === undefined ? {} : { merchantId }) };
  }

  override read(written: Json): RoleTerms {
    return roleTermsFrom({ details: written });
  }

  override async weigh(
    terms: RoleTerms,
    by: string,
  ): Promise<Result<WeighedChange, GrantRoleRefusal>> {
    const { person, role, merchantId } = terms;
    if (merchantId !== undefined) {
      const registered = await this.pipeline.firstEventId(merchantStream(merchantId));
      if (registered === undefined) return refuse('unknown_merchant');
    }
    const { state } = await this.pipeline.load(step);
    const decision = decideGrant(terms, { proposedBy: by }, state);
    if (!decision.ok && decision.refusal !== 'second_admin_needed') return decision;
    const place = merchantId === undefined ? {} : { merchantId };
    const about = [person, role, merchantId ?? ''].join(' ');
    return ok({ needsTwo: !decision.ok, seen: '', about, ...place });
  }

  override describe({ person, name, role }: RoleTerms): readonly ProposalRow[] {
    return [
      { field: 'name', value: name },
      { field: 'person', value: person },
      { field: 'role', value: role },
    ];
  }

  /**
   * The event has the proposal as its cause, so a repeat after a crash finds it in history and appends nothing, even if
   * the role was revoked since.
   */
  override async carryOut(
    terms: RoleTerms,
    decided: Decided,
    metadata: CommandMetadata,
  ): Promise<Result<undefined, GrantRoleRefusal | DecidedRefusal>> {
    const granters = decided.by === 'two' ? decided : { proposedBy: metadata.actor.id };
    const done = await this.pipeline.run({ ...step, metadata }, (state) =>
      decided.by === 'two' && state.confirmed.has(decided.proposalId)
        ? ok([])
        : decideGrant(terms, granters, state),
    );
    return done.ok ? ok(undefined) : done;
  }
}

const step = { decider: roleDecider, stream: roleStream };
