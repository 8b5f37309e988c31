import { type Action, type Person } from '#domain/people';

/** Most sessions of one person, browsers and command lines together (PEO-52). The next one ends the least used. */
export const mostSessions = 10;

/** The place where a person signed in. */
export type SessionKind = 'browser' | 'command_line';

/** A person who signed in, in one browser or on one command line. */
export interface Session {
  /** SHA-256 of the id that the browser holds, or of the command line's identity token. */
  readonly hash: Buffer;
  readonly person: Person;
  readonly name: string;
  /** The time at which the issuer last saw the person, by its own clock. */
  readonly authenticatedAt: Date;
  readonly kind: SessionKind;
  /** True if the sign-in itself is a proof of presence that still counts (`login --fresh`). A browser's never is. */
  readonly isProved: boolean;
}

/** A session that is not over, as its person sees it. */
export interface OpenSession {
  readonly hash: Buffer;
  readonly kind: SessionKind;
  readonly openedAt: Date;
  /** The last use, to the minute. */
  readonly lastUsedAt: Date;
  /** The end of the session unless it is used before. */
  readonly endsAt: Date;
}

/** Times after which a session ends. */
export interface SessionEnds {
  /** Time after its last use. */
  readonly idleMs: number;
  readonly absoluteMs: number;
}

/** Stores sessions. Each method throws DependencyUnavailable. */
export abstract class Sessions {
  /**
   * Opens a session, and ends the least used ones of the person beyond `mostSessions`.
   * @param begunAgoMs milliseconds since the sign-in began; 0 if absent
   * @returns false if the person has signed out everywhere since then; nothing is opened
   */
  abstract open(session: Session, ends: SessionEnds, begunAgoMs?: number): Promise<boolean>;
  /** Returns the session if it counts: it is not over, was not ended, and began after its person's last sign-out. */
  abstract find(hash: Buffer): Promise<Session | undefined>;
  /**
   * Finds a session like `find` and notes its use, at most once a minute. It then ends `idleMs` later, unless it ends
   * before.
   */
  abstract use(hash: Buffer, idleMs: number): Promise<Session | undefined>;
  abstract revoke(hash: Buffer): Promise<void>;
  /** Returns the sessions of a person that count, the last used first. */
  abstract openOf(person: Person): Promise<readonly OpenSession[]>;
  /** Ends one session of a person. It changes nothing if the session is another person's. */
  abstract endOne(person: Person, hash: Buffer): Promise<void>;
  /** Ends every session of a person, those of command lines included: none that began before counts from now on. */
  abstract endAll(person: Person): Promise<void>;
  /** Returns the latest time at which the issuer saw the person, by its own clock, at a sign-in or for a proof. */
  abstract seenAt(person: Person): Promise<Date | undefined>;
  /**
   * Notes a proof of presence (PEO-50).
   * @returns false if it is no later than each sign-in and each proof of the person so far
   */
  abstract proveAnew(person: Person, authenticatedAt: Date): Promise<boolean>;
}

/** The rule of live mode about proofs of presence (POR-10). */
export abstract class PresenceRule {
  /**
   * True if only `phr` and `phrh` prove presence.
   * @throws DependencyUnavailable
   */
  abstract isStrongOnly(): Promise<boolean>;
}

/** Reads names of people. Each method throws DependencyUnavailable. */
export abstract class PersonNames {
  /** Names as the issuer last gave them, by the people's ids. A person who never signed in is not in it. */
  abstract of(people: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Ids of people whose names contain the text in any case, the latest sign-in first. */
  abstract peopleCalled(text: string, limit: number): Promise<readonly string[]>;
}

/** Words that say what a form will do, for the person who confirms it. */
export interface Description {
  readonly title: string;
  /** Pairs of name and value. */
  readonly rows: readonly (readonly [string, string])[];
}

/** A form as it was sent, which waits for its sender's proof of presence. */
export interface PendingForm {
  readonly action: Action;
  /** The path and query. */
  readonly target: string;
  /** A digest of method, target, media type, bytes and description. */
  readonly digest: Buffer;
  readonly mediaType: string | undefined;
  readonly bytes: Buffer;
  readonly description: Description;
}

/** The key of a held form: a hash of its id, and the session's hash. */
export interface PendingFormKey {
  readonly idHash: Buffer;
  readonly sessionHash: Buffer;
}

/** Stores held forms, each for a few minutes at most. */
export abstract class PendingForms {
  abstract hold(key: PendingFormKey, form: PendingForm, forMs: number): Promise<void>;
  abstract find(
    key: PendingFormKey,
  ): Promise<{ readonly form: PendingForm; readonly isProved: boolean } | undefined>;
  /** @returns true if such a form with that digest waits */
  abstract prove(key: PendingFormKey, digest: Buffer, forMs: number): Promise<boolean>;
  /** Returns a proved form and forgets it, so that it is carried out at most once. */
  abstract take(key: PendingFormKey): Promise<PendingForm | undefined>;
}
