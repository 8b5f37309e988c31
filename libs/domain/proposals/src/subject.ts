import { type CommandMetadata } from '#domain/event-sourcing';
import { type Mode, type Result } from '#domain/kernel';
import { type Decided, type DecidedRefusal, type Weighed } from './decided.js';
import { type Json, type ProposalKind, type ProposalRow } from './proposal.js';

/** Identifies a subject, with the types of its details, value and refusals. Edges pass it to `Propose`. */
export interface Change<Details, Value extends object | undefined, Refusal extends string> {
  readonly kind: ProposalKind;
  /** For types only; never set. */
  readonly types?: readonly [Details, Value, Refusal];
}

/** The requirement of a change, and the thing that changes. */
export interface WeighedChange extends Weighed {
  /** At most one proposal of a kind is open for each. */
  readonly about: string;
  readonly merchantId?: string;
  readonly mode?: Mode;
}

/** One kind of change. It decides by itself if it needs two admins, and appends its own event. */
export abstract class ProposalSubject<
  Details,
  Value extends object | undefined,
  Refusal extends string,
> {
  abstract readonly change: Change<Details, Value, Refusal>;

  /** The stored form of the details, which `read` restores. */
  abstract write(details: Details): Json;
  abstract read(written: Json): Details;

  /**
   * Weighs the change on the current state.
   * @param by the person who requests it, as `actor.id`
   * @throws DependencyUnavailable
   */
  abstract weigh(details: Details, by: string): Promise<Result<WeighedChange, Refusal>>;

  /** Describes the change for the person who confirms it, from the proposal only. It never includes a phone number. */
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

/** A subject with any details. It only ever gets its own values. */
export type AnySubject = ProposalSubject<unknown, object | undefined, string>;

/** Every subject that the process can carry out, by its kind. */
export class ProposalSubjects {
  private readonly byKind: ReadonlyMap<ProposalKind, AnySubject>;

  constructor(subjects: readonly AnySubject[]) {
    this.byKind = new Map(subjects.map((subject) => [subject.change.kind, subject]));
    if (this.byKind.size !== subjects.length) throw new TypeError('two subjects of one kind');
  }

  /** @throws TypeError if the app binds no such subject, which is a defect */
  of(kind: ProposalKind): AnySubject {
    const subject = this.byKind.get(kind);
    if (!subject) throw new TypeError(`no subject carries out ${kind}`);
    return subject;
  }

  /** Describes a stored proposal. */
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
