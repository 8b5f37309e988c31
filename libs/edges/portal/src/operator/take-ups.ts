import { type CommandMetadata } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { issueCredential, setIpList } from '#domain/merchants';
import { grantRole, personOf, permits, RevokeRole, roleFrom, RoleDirectory } from '#domain/people';
import { type ProposalRow, Propose, type Proposed, ProposalSubjects } from '#domain/proposals';
import { type AccessRequest, AccessRequests } from '#records/people';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type AskedChange, changeIn } from '../merchant/access/access-details.js';

/** An open request with the change that it asks for. */
export interface FoundRequest {
  readonly request: AccessRequest;
  readonly change: AskedChange;
}

/** A request as an admin sees it before the proof of presence. */
export interface WeighedRequest {
  readonly rows: readonly ProposalRow[];
  readonly needsTwo: boolean;
}

type Metadata = CommandMetadata & { readonly reason: string };

/** Makes or proposes exactly what a merchant's owner asked for (POR-99). Each method throws DependencyUnavailable. */
@Injectable()
export class TakeUps {
  constructor(
    private readonly requests: AccessRequests,
    private readonly subjects: ProposalSubjects,
    private readonly directory: RoleDirectory,
    private readonly bus: CommandBus,
  ) {}

  /**
   * Finds an open request.
   * @param digest of the content that the admin saw
   * @returns undefined if it is not open any more, or has another content
   */
  async find(id: string, digest: string): Promise<FoundRequest | undefined> {
    const request = await this.requests.find(id);
    if (request?.status !== 'sent' || request.digest !== digest) return undefined;
    const change = changeIn(request);
    return change && { request, change };
  }

  /**
   * Weighs the change on the current state, and describes it as its proposal will.
   * @param by the admin
   * @returns `asker_no_owner` if the asker may no longer ask, or the change's own refusal
   */
  async weigh(
    { request, change }: FoundRequest,
    by: string,
  ): Promise<Result<WeighedRequest, string>> {
    const asker = personOf(request.askedBy);
    const roles = asker ? await this.directory.rolesOf(asker) : [];
    if (!permits(roles, 'access.ask', request.merchantId)) return refuse('asker_no_owner');
    const { kind, details } = change;
    if (kind === 'role_removal') {
      const rows = this.subjects.of(grantRole.kind).describe(details, '');
      return ok({ rows, needsTwo: false });
    }
    const subject = this.subjects.of(kind);
    const weighed = await subject.weigh(details, by);
    if (!weighed.ok) return weighed;
    const { seen, needsTwo } = weighed.value;
    return ok({ rows: subject.describe(details, seen), needsTwo });
  }

  /**
   * Takes the request up: the admin becomes the proposer of what was asked for, or makes the change if one admin is
   * enough. If two admins do so at once, one is refused as `changed`.
   * @param metadata of the admin, with the asker's reason
   */
  async takeUp(
    { request, change }: FoundRequest,
    metadata: Metadata,
  ): Promise<Result<'proposed' | 'done', string>> {
    const { id, digest } = request;
    const by = metadata.actor.id;
    if (!(await this.requests.claim(id, digest, by))) return refuse('changed');
    const made = await this.make(change, metadata);
    if (!made.ok) {
      await this.requests.giveBack(id, by);
      return made;
    }
    if (made.value.kind === 'done') await this.requests.finish(id, by);
    else await this.requests.noteProposal(id, by, made.value.proposal.id);
    return ok(made.value.kind);
  }

  /** @returns false if it is not open any more */
  decline({ request }: FoundRequest, { actor, reason }: Metadata): Promise<boolean> {
    return this.requests.decline(request.id, actor.id, reason);
  }

  private async make(
    { kind, details }: AskedChange,
    metadata: Metadata,
  ): Promise<Result<Proposed<object | undefined>, string>> {
    switch (kind) {
      case 'credential':
        return this.bus.execute(new Propose(issueCredential, details, metadata));
      case 'ip_list':
        return this.bus.execute(new Propose(setIpList, details, metadata));
      case 'role':
        return this.bus.execute(new Propose(grantRole, details, metadata));
      case 'role_removal': {
        const { person, role, merchantId } = details;
        const held = roleFrom(role, merchantId);
        if (!held) return refuse('not_held');
        const done = await this.bus.execute(new RevokeRole({ person, held }, metadata));
        return done.ok ? ok({ kind: 'done', value: undefined }) : done;
      }
    }
  }
}
