import { type Action, type Person } from '#domain/people';

/** A person who signed in, in one browser. */
export interface Session {
  /** SHA-256 of the id that the browser holds. */
  readonly hash: Buffer;
  readonly person: Person;
  readonly name: string;
  /** When the issuer last saw who it is. */
  readonly authenticatedAt: Date;
}

/** One that is not over, as its person sees it. */
export interface OpenSession {
  readonly hash: Buffer;
  readonly openedAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date;
  /** Unless it is used before. */
  readonly endsAt: Date;
}

/** How long a session lasts. */
export interface SessionEnds {
  /** After its last use. */
  readonly idleMs: number;
  readonly absoluteMs: number;
}

/** Where sessions are kept. */
export abstract class Sessions {
  abstract open(session: Session, ends: SessionEnds): Promise<void>;
  /** One that is not over and was not revoked. @throws DependencyUnavailable */
  abstract find(hash: Buffer): Promise<Session | undefined>;
  /** As `find`. Its use is noted, at most once a minute: from then on it ends `idleMs` later, unless it ends before. */
  abstract use(hash: Buffer, idleMs: number): Promise<Session | undefined>;
  abstract revoke(hash: Buffer): Promise<void>;
  /** Those of a person that are not over, the last used first; no more than anybody reads. */
  abstract openOf(person: Person): Promise<readonly OpenSession[]>;
  /** Ends those of a person; of one that is somebody else's nothing is changed. @param hash undefined: all */
  abstract revokeOf(person: Person, hash?: Buffer): Promise<void>;
}

/** What people are called. Each method throws DependencyUnavailable. */
export abstract class PersonNames {
  /** As the issuer last said, by the person's id; whoever never signed in is not in it. */
  abstract of(people: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The ids of some whose names contain the text, whatever its case; who signed in last comes first. */
  abstract peopleCalled(text: string, limit: number): Promise<readonly string[]>;
}

/** What will be done, in words for the person who confirms it. */
export interface Description {
  readonly title: string;
  /** Name and value. */
  readonly rows: readonly (readonly [string, string])[];
}

/** A form as it was sent, which waits for its sender's proof of presence. */
export interface PendingForm {
  readonly action: Action;
  /** Path and query. */
  readonly target: string;
  /** Of method, target, media type, bytes and description. */
  readonly digest: Buffer;
  readonly mediaType: string | undefined;
  readonly bytes: Buffer;
  readonly description: Description;
}

/** Which held form: its id as a hash, and whose it is. */
export interface PendingFormKey {
  readonly idHash: Buffer;
  readonly sessionHash: Buffer;
}

/** Where forms wait, none longer than some minutes. */
export abstract class PendingForms {
  abstract hold(key: PendingFormKey, form: PendingForm, forMs: number): Promise<void>;
  abstract find(
    key: PendingFormKey,
  ): Promise<{ readonly form: PendingForm; readonly isProved: boolean } | undefined>;
  /** @returns whether such a form with that digest waits */
  abstract prove(key: PendingFormKey, digest: Buffer, forMs: number): Promise<boolean>;
  /** Gives a proved form, and forgets it: it is carried out once at most. */
  abstract take(key: PendingFormKey): Promise<PendingForm | undefined>;
}
