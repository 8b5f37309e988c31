import { type CommandMetadata, Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import {
  type Change,
  type Decided,
  type DecidedRefusal,
  type Json,
  mayDecide,
  type ProposalRow,
  ProposalSubject,
  type WeighedChange,
} from '#domain/proposals';
import { Injectable } from '@nestjs/common';
import { PersonSessions } from '../sessions/person-sessions.js';
import { type RoleEvent, roleStream } from '../role.events.js';
import { roleDecider } from '../roles.js';
import { decideUnsuspend, type UnsuspendRefusal } from './suspension.decide.js';

/** The admin whose suspension ends. */
export interface UnsuspendDetails {
  /** The id that `personId` writes. */
  readonly person: string;
}

/** Ends an admin's suspension. */
export const unsuspendAdmin: Change<UnsuspendDetails, undefined, UnsuspendRefusal> = {
  kind: 'unsuspension',
};

/** Always needs two other admins, in demo mode too (PEO-57). */
@Injectable()
export class UnsuspendAdminSubject extends ProposalSubject<
  UnsuspendDetails,
  undefined,
  UnsuspendRefusal
> {
  override readonly change = unsuspendAdmin;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly sessions: PersonSessions,
  ) {
    super();
  }

  override write({ person }: UnsuspendDetails): Json {
    return { person };
  }

  override read(written: Json): UnsuspendDetails {
    return written as unknown as UnsuspendDetails;
  }

  override async weigh(
    { person }: UnsuspendDetails,
    by: string,
  ): Promise<Result<WeighedChange, UnsuspendRefusal>> {
    const { state, events } = await this.pipeline.load(step);
    const decision = decideUnsuspend(person, { proposedBy: by }, state);
    if (!decision.ok && decision.refusal !== 'second_admin_needed') return decision;
    return ok({ needsTwo: true, seen: suspensionOf(person, events), about: person });
  }

  override describe({ person }: UnsuspendDetails): readonly ProposalRow[] {
    return [{ field: 'person', value: person }];
  }

  /** Ends the person's remaining sessions first, so that none from before the suspension comes back. */
  override async carryOut(
    { person }: UnsuspendDetails,
    decided: Decided,
    metadata: CommandMetadata,
  ): Promise<Result<undefined, UnsuspendRefusal | DecidedRefusal>> {
    const before = await this.pipeline.load(step);
    if (decided.by !== 'two') return refuse('second_admin_needed');
    const { proposalId } = decided;
    if (before.state.confirmed.has(proposalId)) return ok(undefined);
    const may = mayDecide(decided, { needsTwo: true, seen: suspensionOf(person, before.events) });
    if (!may.ok) return may;
    await this.sessions.endAllOf(person);
    const done = await this.pipeline.run(
      { ...step, metadata },
      (state) =>
        state.confirmed.has(proposalId) ? ok([]) : decideUnsuspend(person, decided, state),
      before,
    );
    return done.ok ? ok(undefined) : done;
  }
}

const step = { decider: roleDecider, stream: roleStream };

/** The id of the suspension's event. A later suspension needs another proposal. */
function suspensionOf(person: string, events: readonly RecordedEvent<RoleEvent>[]): string {
  const last = events.findLast(
    ({ type, data }) => type === 'AdminSuspended' && data.person === person,
  );
  return last?.id ?? '';
}
