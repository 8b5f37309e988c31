import { type SealedTable } from '#records/keys';
import {
  type Action,
  type Person,
  personId,
  personOf,
  PersonSessions,
  stepUpCountsMs,
} from '#domain/people';
import {
  mostSessions,
  type PendingForm,
  type PendingFormKey,
  PendingForms,
  type OpenSession,
  PersonNames,
  type Session,
  type SessionEnds,
  Sessions,
} from '#edges/portal';
import { type Database, type Queryable } from '#infra/postgres';
import { Keyring, UnopenableCiphertext } from '#shared/signing';

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
    (id_hash, issuer, subject, name, authenticated_at, idle_ends_at, ends_at, kind, proved_at)
  select $1, $2, $3, $4, $5,
    records.now_() + least($6::float8, $7::float8) * interval '1 millisecond',
    records.now_() + $7::float8 * interval '1 millisecond',
    $9, case when $10::boolean then records.now_() end
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
        coalesce(proved_at > records.now_() - ${stepUpCountsMs} * interval '1 millisecond', false) as "isProved"
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
  select id_hash as "hash", created_at as "openedAt", last_seen_at as "lastUsedAt", idle_ends_at as "endsAt", kind
    from records.portal_sessions
    where issuer = $1 and subject = $2 and ${counts}
    order by last_seen_at desc limit ${mostSessions}`;
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

interface SessionRow extends Omit<Session, 'hash' | 'person'> {
  readonly issuer: string;
  readonly subject: string;
  readonly isStale: boolean;
}

/** Sessions as rows. Every request reads them, so a revocation takes effect with the next request. */
export class RecordedSessions extends Sessions {
  constructor(private readonly database: Database) {
    super();
  }

  /** Locks the row of the person first, so that concurrent sign-ins count each other. */
  override async open(
    { hash, person, name, authenticatedAt, kind, isProved }: Session,
    { idleMs, absoluteMs }: SessionEnds,
    begunAgoMs = 0,
  ): Promise<boolean> {
    const id = personId(person);
    const { issuer, subject } = person;
    const row = [hash, issuer, subject, name, authenticatedAt, idleMs, absoluteMs, id];
    return this.database.transaction(async (transaction) => {
      await transaction.query(noteSeen, [id, authenticatedAt]);
      const values = [...row, kind, isProved, begunAgoMs];
      const [isOpen] = await transaction.query(insertSession, values);
      await transaction.query(endBeyondMost, [issuer, subject, hash]);
      return isOpen !== undefined;
    });
  }

  override async find(hash: Buffer): Promise<Session | undefined> {
    const [row] = await this.database.query<SessionRow>(findSession, [hash]);
    return row && sessionFrom(hash, row);
  }

  override async use(hash: Buffer, idleMs: number): Promise<Session | undefined> {
    const [row] = await this.database.query<SessionRow>(findSession, [hash]);
    if (row?.isStale) await this.database.query(seeSession, [hash, idleMs]);
    return row && sessionFrom(hash, row);
  }

  override async revoke(hash: Buffer): Promise<void> {
    await this.database.query(revokeSession, [hash]);
  }

  override openOf({ issuer, subject }: Person): Promise<readonly OpenSession[]> {
    return this.database.query<OpenSession>(openSessions, [issuer, subject]);
  }

  override async endOne({ issuer, subject }: Person, hash: Buffer): Promise<void> {
    await this.database.query(revokeOne, [issuer, subject, hash]);
  }

  override async endAll(person: Person): Promise<void> {
    await this.database.query(revokeAll, [person.issuer, person.subject, personId(person)]);
  }

  override async seenAt(person: Person): Promise<Date | undefined> {
    const values = [personId(person)];
    const [row] = await this.database.query<{ seenAt: Date | null }>(selectSeen, values);
    return row?.seenAt ?? undefined;
  }

  override async proveAnew(person: Person, authenticatedAt: Date): Promise<boolean> {
    const values = [personId(person), authenticatedAt];
    return (await this.database.query(noteProof, values)).length > 0;
  }
}

/** Ends sessions for decisions about people. */
export class RecordedPersonSessions extends PersonSessions {
  private readonly sessions: Sessions;

  constructor(database: Database) {
    super();
    this.sessions = new RecordedSessions(database);
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

const selectNames = {
  name: 'person-names',
  text: `select person, name from records.person_names where person = any ($1::text[])`,
};
const selectPeople = `
  select person from records.person_names
    where position(lower($1) in lower(name)) > 0 order by told_at desc limit $2`;

/** People's names, from the issuer at their last sign-in. */
export class RecordedPersonNames extends PersonNames {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async of(people: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (people.length === 0) return new Map();
    const rows = await this.database.query<{ person: string; name: string }>(selectNames, [people]);
    return new Map(rows.map(({ person, name }) => [person, name]));
  }

  override async peopleCalled(text: string, limit: number): Promise<readonly string[]> {
    const rows = await this.database.query<{ person: string }>(selectPeople, [text, limit]);
    return rows.map(({ person }) => person);
  }
}

function sessionFrom(
  hash: Buffer,
  { issuer, subject, name, authenticatedAt, kind, isProved }: SessionRow,
): Session {
  return { hash, person: { issuer, subject }, name, authenticatedAt, kind, isProved };
}

const label = 'portal-held-form';
/** Maximum number of forms per session that wait at the same time; a new one replaces the oldest. */
const maxHeld = 20;
const holdForm = `
  with oldest as (
    delete from records.portal_held_forms where id_hash in (
      select id_hash from records.portal_held_forms
        where session_hash = $2 order by held_at desc offset ${maxHeld - 1})
  )
  insert into records.portal_held_forms
    (id_hash, session_hash, action, digest, key_id, ciphertext, ends_at)
  values ($1, $2, $3, $4, $5, $6, records.now_() + $7::float8 * interval '1 millisecond')`;
const formColumns = `
  id_hash as "idHash", action, digest, key_id as "keyId", ciphertext, proved_at is not null as "isProved"`;
const findForm = `
  select ${formColumns} from records.portal_held_forms
    where id_hash = $1 and session_hash = $2 and ends_at > records.now_()`;
const proveForm = `
  update records.portal_held_forms
    set proved_at = records.now_(), ends_at = records.now_() + $4::float8 * interval '1 millisecond'
    where id_hash = $1 and session_hash = $2 and digest = $3
      and proved_at is null and ends_at > records.now_()
    returning 1`;
const takeForm = `
  delete from records.portal_held_forms
    where id_hash = $1 and session_hash = $2 and proved_at is not null and ends_at > records.now_()
    returning ${formColumns}`;

interface FormRow {
  readonly idHash: Buffer;
  readonly action: Action;
  readonly digest: Buffer;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly isProved: boolean;
}

/** The sealed part of a form. */
type Sealed = Pick<PendingForm, 'target' | 'description'> & {
  readonly mediaType?: string;
  /** Base64. */
  readonly bytes: string;
};

/** If the key of a waiting form is retired, the form is resealed under the next key. */
export const sealedHeldForms: SealedTable = {
  table: 'portal_held_forms',
  idColumn: 'id_hash',
  idType: 'bytea',
  label: () => label,
  aad: (id) => id.slice('\\x'.length),
  underDataKey: false,
};

/** Waiting forms, sealed under a master key. */
export class RecordedPendingForms extends PendingForms {
  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  override async hold(
    { idHash, sessionHash }: PendingFormKey,
    { action, target, digest, mediaType, bytes, description }: PendingForm,
    forMs: number,
  ): Promise<void> {
    const sealed: Sealed = {
      target,
      description,
      bytes: bytes.toString('base64'),
      ...(mediaType !== undefined && { mediaType }),
    };
    const { currentKeyId } = this.keyring;
    const aad = idHash.toString('hex');
    const ciphertext = this.keyring.sealBytes(label, JSON.stringify(sealed), aad);
    const row = [idHash, sessionHash, action, digest, currentKeyId, ciphertext, forMs];
    await this.database.query(holdForm, row);
  }

  override async find({ idHash, sessionHash }: PendingFormKey) {
    const [row] = await this.database.query<FormRow>(findForm, [idHash, sessionHash]);
    const form = row && this.opened(row);
    return row && form && { form, isProved: row.isProved };
  }

  override async prove(
    { idHash, sessionHash }: PendingFormKey,
    digest: Buffer,
    forMs: number,
  ): Promise<boolean> {
    const proved = [idHash, sessionHash, digest, forMs];
    return (await this.database.query(proveForm, proved)).length > 0;
  }

  override async take({ idHash, sessionHash }: PendingFormKey): Promise<PendingForm | undefined> {
    const [row] = await this.database.query<FormRow>(takeForm, [idHash, sessionHash]);
    return row && this.opened(row);
  }

  /** Undefined if its key was dropped; the person then fills the form in again. */
  private opened({ idHash, action, digest, keyId, ciphertext }: FormRow): PendingForm | undefined {
    try {
      const aad = idHash.toString('hex');
      const text = this.keyring.openBytes(label, keyId, ciphertext, aad).toString();
      const { target, mediaType, bytes, description } = JSON.parse(text) as Sealed;
      return {
        action,
        target,
        digest,
        mediaType,
        description,
        bytes: Buffer.from(bytes, 'base64'),
      };
    } catch (error) {
      if (error instanceof UnopenableCiphertext) return undefined;
      throw error;
    }
  }
}
