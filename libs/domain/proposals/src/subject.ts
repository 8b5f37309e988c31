import { type CommandMetadata } from '#domain/event-sourcing';
import { type Mode, type Result } from '#domain/kernel';
import { type Decided, type DecidedRefusal, type Weighed } from './decided.js';
import { type Json, type ProposalKind, type ProposalRow } from './proposal.js';

/** Names a subject, with the types of what it takes, gives and refuses. Edges pass it to `Propose`. */
export interface Change<Details, Value extends object | undefined, Refusal extends string> {
  readonly kind: ProposalKind;
  /** Types alone: never there. */
  readonly types?: readonly [Details, Value, Refusal];
}

/** What a change takes, and what it is about. */
export interface WeighedChange extends Weighed {
  /** One proposal of a kind waits for each. */
  readonly about: string;
  readonly merchantId?: string;
  readonly mode?: Mode;
}

/** One kind of change. Decides by itself whether it takes two admins, and appends its own event. */
export abstract class ProposalSubject<
  Details,
  Value extends object | undefined,
  Refusal extends string,
> {
  abstract readonly change: Change<Details, Value, Refusal>;

  /** What a row keeps of the details; they are used as `read` gives them back. */
  abstract write(details: Details): Json;
  abstract read(written: Json): Details;

  /** What the change takes, as things are now. @param by who wants it, as `actor.id`. @throws DependencyUnavailable */
  abstract weigh(details: Details, by: string): Promise<Result<WeighedChange, Refusal>>;

  /** What the change does, for whoever confirms it: from nothing but what was proposed. Never a phone number. */
  abstract describe(details: Details, seen: string): readonly ProposalRow[];

  /**
   * Makes the change. It calls `mayDecide` on the state to which it appends, and adds both people to its event. Safe to
   * repeat for one proposal: the event's `causationId` is the proposal's id.
   * @throws DependencyUnavailable
   */
  abstract carryOut(
    details: Details,
    decided: Decided,
    metadata: CommandMetadata,
  ): Promise<Result<Value, Refusal | DecidedRefusal>>;
}

/** A subject of whatever details: only its own values ever reach it. */
export type AnySubject = ProposalSubject<unknown, object | undefined, string>;

/** Every subject that the process carries out, by its kind. */
export class ProposalSubjects {
  private readonly byKind: ReadonlyMap<ProposalKind, AnySubject>;

  constructor(subjects: readonly AnySubject[]) {
    this.byKind = new Map(subjects.map((subject) => [subject.change.kind, subject]));
    if (this.byKind.size !== subjects.length) throw new TypeError('two subjects of one kind');
  }

  /** @throws TypeError if the app binds no such subject: a defect */
  of(kind: ProposalKind): AnySubject {
    const subject = this.byKind.get(kind);
    if (!subject) throw new TypeError(`no subject carries out ${kind}`);
    return subject;
  }

  /** What a stored proposal does. */
  describe({
    kind,
    details,
    seen,
  }: {
    readonly kind: ProposalKind;
    readonly details: Json;
    readonly seen: string;
  }): readonly ProposalRow[] {
    const subject = this.of(kind);
    return subject.describe(subject.read(details), seen);
  }
}
