import { type Person, personId, personOf, PersonSessions, stepUpCountsMs } from '#domain/people';
import { type Database } from '#infra/postgres';
import { renewedEveryMs } from './renewal-tokens.js';

/** Most sessions of one person, browsers and command lines together (PEO-52). The next one ends the least used. */
const mostSessions = 10;

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

/** A session that counts. */
export interface FoundSession extends Session {
  /** True if the provider has not been asked about it for some minutes (POR-122). */
  readonly isRenewalDue: boolean;
}

export interface NewSession extends Session {
  /** `sid`: the provider's name of its own session, if it gives one. */
  readonly providerSession?: string | undefined;

  /** The name of the browser, such as `Chrome`; absent if it is not known, and for a command line. */
  readonly browser?: string | undefined;
  /** The browser's operating system, such as `Android`. */
  readonly browserSystem?: string | undefined;
}

/** A session that is not over, as its person sees it. */
export interface OpenSession {
  readonly hash: Buffer;
  readonly kind: SessionKind;
  /** Null if it is not known, as for a session of an earlier release. */
  readonly browser: string | null;
  readonly browserSystem: string | null;
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

/** A process of the previous release reads neither `kind` nor `not_before`, so ending a session also writes `revoked_at`. */
const noteSeen = `
  insert into records.person_access as known (person, seen_at) values ($1, $2)
    on conflict (person) do update
      set seen_at = greatest(known.seen_at, excluded.seen_at), changed_at = excluded.changed_at`;
const insertSession = `
  with known as (
    insert into records.person_names as known (person, name) values ($8, $4)
    on conflict (person) do update set name = excluded.name, told_at = excluded.told_at
  )
  insert into records.portal_sessions
    (id_hash, issuer, subject, name, authenticated_at, idle_ends_at, ends_at, kind, proved_at,
      browser, browser_system, provider_session)
  select $1, $2, $3, $4, $5,
    records.now_() + least($6::float8, $7::float8) * interval '1 millisecond',
    records.now_() + $7::float8 * interval '1 millisecond',
    $9, case when $10::boolean then records.now_() end, $12, $13, $14
  where not exists (
    select 1 from records.person_access
      where person = $8 and not_before >= records.now_() - $11::float8 * interval '1 millisecond')
  returning 1`;
const endBeyondMost = `
  update records.portal_sessions set revoked_at = records.now_()
    where id_hash in (
      select id_hash from records.portal_sessions
        where issuer = $1 and subject = $2 and revoked_at is null and idle_ends_at > records.now_()
        order by id_hash = $3 desc, last_seen_at desc, created_at desc offset ${mostSessions})`;
/** The condition for a session that counts: it was not ended, alone or with all others of its person. */
const counts = `revoked_at is null and idle_ends_at > records.now_() and not exists (
  select 1 from records.person_access
    where person = issuer || '#' || subject and not_before >= created_at)`;
const findSession = {
  name: 'portal-session-find',
  text: `
    select issuer, subject, name, authenticated_at as "authenticatedAt", kind,
        last_seen_at < records.now_() - interval '1 minute' as "isStale",
        coalesce(proved_at > records.now_() - ${stepUpCountsMs} * interval '1 millisecond', false) as "isProved",
        exists (
          select 1 from records.session_renewals renewal
            where renewal.id_hash = portal_sessions.id_hash
              and checked_at < records.now_() - ${renewedEveryMs} * interval '1 millisecond') as "isRenewalDue"
      from records.portal_sessions where id_hash = $1 and ${counts}`,
};
const seeSession = `
  update records.portal_sessions
    set last_seen_at = records.now_(),
      idle_ends_at = least(ends_at, records.now_() + $2::float8 * interval '1 millisecond')
    where id_hash = $1 and ${counts} and last_seen_at < records.now_() - interval '1 minute'`;
const revokeSession = `
  update records.portal_sessions set revoked_at = records.now_()
    where id_hash = $1 and revoked_at is null`;

const openSessions = `
  select id_hash as "hash", created_at as "openedAt", last_seen_at as "lastUsedAt", idle_ends_at as "endsAt", kind,
      browser, browser_system as "browserSystem"
    from records.portal_sessions
    where issuer = $1 and subject = $2 and ${counts}
    order by last_seen_at desc limit ${mostSessions}`;
const revokeOfProvider = `
  update records.portal_sessions set revoked_at = records.now_()
    where issuer = $1 and provider_session = $2 and revoked_at is null
    returning subject`;
const revokeOne = `
  update records.portal_sessions set revoked_at = records.now_()
    where issuer = $1 and subject = $2 and id_hash = $3 and revoked_at is null`;
const revokeAll = `
  with ended as (
    insert into records.person_access as known (person, not_before) values ($3, records.now_())
      on conflict (person) do update
        set not_before = excluded.not_before, changed_at = excluded.changed_at)
  update records.portal_sessions set revoked_at = records.now_()
    where issuer = $1 and subject = $2 and revoked_at is null`;
const noteProof = `
  insert into records.person_access as known (person, seen_at) values ($1, $2)
    on conflict (person) do update
      set seen_at = excluded.seen_at, changed_at = excluded.changed_at
      where known.seen_at is null or known.seen_at < excluded.seen_at
    returning 1`;
const selectSeen = `select seen_at as "seenAt" from records.person_access where person = $1`;

interface SessionRow extends Omit<FoundSession, 'hash' | 'person'> {
  readonly issuer: string;
  readonly subject: string;
  readonly isStale: boolean;
}

/**
 * Stores sessions. Every request reads its session, so a revocation takes effect with the next request. Each method
 * throws DependencyUnavailable.
 */
export class Sessions {
  constructor(private readonly database: Database) {}

  /**
   * Opens a session, and ends the least used ones of the person beyond `mostSessions`.
   * @param begunAgoMs milliseconds since the sign-in began; 0 if absent
   * @returns false if the person has signed out everywhere since then; nothing is opened
   */
  // Locks the row of the person first, so that concurrent sign-ins count each other.
  async open(
    session: NewSession,
    { idleMs, absoluteMs }: SessionEnds,
    begunAgoMs = 0,
  ): Promise<boolean> {
    const { hash, person, name, authenticatedAt, kind, isProved, browser, browserSystem } = session;
    const id = personId(person);
    const { issuer, subject } = person;
    const row = [hash, issuer, subject, name, authenticatedAt, idleMs, absoluteMs, id];
    return this.database.transaction(async (transaction) => {
      await transaction.query(noteSeen, [id, authenticatedAt]);
      const named = [browser ?? null, browserSystem ?? null, session.providerSession ?? null];
      const values = [...row, kind, isProved, begunAgoMs, ...named];
      const [isOpen] = await transaction.query(insertSession, values);
      await transaction.query(endBeyondMost, [issuer, subject, hash]);
      return isOpen !== undefined;
    });
  }

  /** Returns the session if it counts: it is not over, was not ended, and began after its person's last sign-out. */
  async find(hash: Buffer): Promise<FoundSession | undefined> {
    const [row] = await this.database.query<SessionRow>(findSession, [hash]);
    return row && sessionFrom(hash, row);
  }

  /**
   * Finds a session like `find` and notes its use, at most once a minute. It then ends `idleMs` later, unless it ends
   * before.
   */
  async use(hash: Buffer, idleMs: number): Promise<FoundSession | undefined> {
    const [row] = await this.database.query<SessionRow>(findSession, [hash]);
    if (row?.isStale) await this.database.query(seeSession, [hash, idleMs]);
    return row && sessionFrom(hash, row);
  }

  async revoke(hash: Buffer): Promise<void> {
    await this.database.query(revokeSession, [hash]);
  }

  /** Returns the sessions of a person that count, the last used first. */
  openOf({ issuer, subject }: Person): Promise<readonly OpenSession[]> {
    return this.database.query<OpenSession>(openSessions, [issuer, subject]);
  }

  /** Ends one session of a person. It changes nothing if the session is another person's. */
  async endOne({ issuer, subject }: Person, hash: Buffer): Promise<void> {
    await this.database.query(revokeOne, [issuer, subject, hash]);
  }

  /**
   * Ends the sessions that began with one session at the provider.
   * @param providerSession `sid`
   * @returns the subject of one of them; undefined if there was none
   */
  async endOfProvider(issuer: string, providerSession: string): Promise<string | undefined> {
    const values = [issuer, providerSession];
    const [row] = await this.database.query<{ subject: string }>(revokeOfProvider, values);
    return row?.subject;
  }

  /** Ends every session of a person, those of command lines included: none that began before counts from now on. */
  async endAll(person: Person): Promise<void> {
    await this.database.query(revokeAll, [person.issuer, person.subject, personId(person)]);
  }

  /** Returns the latest time at which the issuer saw the person, by its own clock, at a sign-in or for a proof. */
  async seenAt(person: Person): Promise<Date | undefined> {
    const values = [personId(person)];
    const [row] = await this.database.query<{ seenAt: Date | null }>(selectSeen, values);
    return row?.seenAt ?? undefined;
  }

  /**
   * Notes a proof of presence (PEO-50).
   * @returns false if it is no later than each sign-in and each proof of the person so far
   */
  async proveAnew(person: Person, authenticatedAt: Date): Promise<boolean> {
    const values = [personId(person), authenticatedAt];
    return (await this.database.query(noteProof, values)).length > 0;
  }
}

/** Ends sessions for decisions about people. */
export class RecordedPersonSessions extends PersonSessions {
  private readonly sessions: Sessions;

  constructor(database: Database) {
    super();
    this.sessions = new Sessions(database);
  }

  override async endAllOf(id: string): Promise<void> {
    const person = personOf(id);
    if (person) await this.sessions.endAll(person);
  }

  override async endOneOf(id: string, hash: Buffer): Promise<void> {
    const person = personOf(id);
    if (person) await this.sessions.endOne(person, hash);
  }
}

function sessionFrom(
  hash: Buffer,
  { issuer, subject, name, authenticatedAt, kind, isProved, isRenewalDue }: SessionRow,
): FoundSession {
  const person = { issuer, subject };
  return { hash, person, name, authenticatedAt, kind, isProved, isRenewalDue };
}
