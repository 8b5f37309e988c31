import { DependencyUnavailable } from '#domain/kernel';
import {
  insertOfMessages,
  messageArrays,
  messageColumns,
  messageRows,
  messageValues,
} from '#records/evidence';
import { type SealedMessage } from '#domain/evidence';
import { MicroBatcher, type Queryable } from '#infra/postgres';

/** A claim to an idempotency key. Later calls with the same key are compared with it. */
export interface NewClaim {
  /** HMAC of the merchant, mode, route and key. */
  readonly keyHash: Buffer;
  /** HMAC of the validated fields. */
  readonly fingerprint: Buffer;
  readonly reference: string;
  /** The call's bytes, which become durable with the claim, or not at all. */
  readonly message: SealedMessage;
}

export interface Claim extends Omit<NewClaim, 'message'> {
  /** Exact to the millisecond, so that it can be passed to `takeOver`. */
  readonly claimedAt: Date;
  /** By the records' clock. */
  readonly ageMs: number;
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claimedAt: Date }
  | ({ readonly kind: 'existing' } & Omit<Claim, 'keyHash'>);

/** The columns of messages as parameters, starting with this number. */
function messagesFrom(first: number): string {
  return messageArrays.map((type, index) => `$${first + index}::${type}[]`).join(', ');
}

// Inserts the bytes of the calls that win the claim, in the same statement; a repeated call leaves none. If keys are
// equal in one batch, the first call wins, and `claimAll` passes only its bytes.
const insert = {
  name: 'claims-insert',
  text: `
    with claimed as (
      insert into records.idempotency_claims (key_hash, fingerprint, reference)
      select * from unnest($1::bytea[], $2::bytea[], $3::text[])
      on conflict do nothing
      returning key_hash, claimed_at),
    kept as (${insertOfMessages(
      `unnest($4::bytea[], ${messagesFrom(5)}) as given (key_hash, ${messageColumns})
        join claimed using (key_hash)`,
    )})
    select key_hash, claimed_at from claimed`,
};
const find = {
  name: 'claims-find',
  text: `
    select key_hash, fingerprint, reference, claimed_at,
        extract(epoch from records.now_() - claimed_at)::float8 * 1000 as age_ms
      from records.idempotency_claims
      where key_hash = any ($1::bytea[])`,
};
const takeOver = `
  with taken as (
    update records.idempotency_claims
      set claimed_at = greatest(records.now_(), claimed_at + interval '1 millisecond')
      where key_hash = $1 and fingerprint = $2 and claimed_at = $3
    returning 1),
  kept as (${insertOfMessages(
    `unnest(${messagesFrom(4)}) as given (${messageColumns}) cross join taken`,
  )})
  select 1 from taken`;
const abandon = `
  update records.idempotency_claims set claimed_at = least(claimed_at, records.now_() - $3 * interval '1 millisecond')
    where key_hash = $1 and fingerprint = $2
  returning 1`;
const giveBack = {
  name: 'claims-give-back',
  text: `
    with dropped as (
      delete from records.sealed_messages where id = any($3::uuid[]) or within = any($4::uuid[]))
    delete from records.idempotency_claims claim
      using unnest($1::bytea[], $2::timestamptz[]) as given (key_hash, claimed_at)
      where claim.key_hash = given.key_hash and claim.claimed_at = given.claimed_at
    returning claim.key_hash`,
};

/**
 * Inserts the claims that do not exist yet.
 * @returns the times of the inserted claims, by key hash as lower-case hex
 */
export async function insertClaims(
  database: Queryable,
  claims: readonly NewClaim[],
): Promise<Map<string, Date>> {
  // Sort by key, so that no two statements deadlock.
  const sorted = claims.toSorted((a, b) => a.keyHash.compare(b.keyHash));
  const firsts = sorted.filter(
    ({ keyHash }, index) => sorted[index - 1]?.keyHash.equals(keyHash) !== true,
  );
  const messages = firsts.flatMap(({ keyHash, message }) =>
    messageRows(message).map((row) => ({ keyHash, row })),
  );
  const rows = await database.query<{ key_hash: Buffer; claimed_at: Date }>(insert, [
    sorted.map(({ keyHash }) => keyHash),
    sorted.map(({ fingerprint }) => fingerprint),
    sorted.map(({ reference }) => reference),
    messages.map(({ keyHash }) => keyHash),
    ...messageValues(messages.map(({ row }) => row)),
  ]);
  return new Map(rows.map((row) => [row.key_hash.toString('hex'), row.claimed_at]));
}

export async function findClaims(
  database: Queryable,
  keyHashes: readonly Buffer[],
): Promise<Claim[]> {
  const rows = await database.query<{
    key_hash: Buffer;
    fingerprint: Buffer;
    reference: string;
    claimed_at: Date;
    age_ms: number;
  }>(find, [keyHashes]);
  return rows.map((row) => ({
    keyHash: row.key_hash,
    fingerprint: row.fingerprint,
    reference: row.reference,
    claimedAt: row.claimed_at,
    ageMs: Math.max(0, row.age_ms),
  }));
}

type OwnClaim = Pick<Claim, 'keyHash' | 'claimedAt'> & Pick<NewClaim, 'message'>;

/**
 * Records which call has an idempotency key, for 30 days. It claims keys in micro-batches: one statement for all that
 * arrive while the previous one is in flight. Each method throws DependencyUnavailable.
 */
export class IdempotencyClaims {
  private readonly batcher;
  private readonly givenBack;

  constructor(private readonly database: Queryable) {
    this.batcher = new MicroBatcher({
      flush: (claims: readonly NewClaim[]) => claimAll(database, claims),
      gathers: true,
    });
    this.givenBack = new MicroBatcher({
      flush: (claims: readonly OwnClaim[]) => giveBackAll(database, claims),
    });
  }

  claim(claim: NewClaim): Promise<ClaimOutcome> {
    return this.batcher.add(claim);
  }

  /**
   * Removes a claim that the caller made and that had no effect, as if it had never been made. A claim that another
   * call took over meanwhile stays. The call's bytes are removed in either case.
   * @returns true if it was still the caller's
   */
  giveBack(claim: OwnClaim): Promise<boolean> {
    return this.givenBack.add(claim);
  }

  /**
   * Takes over a claim whose owner seems to have died, if it has not changed since it was read. The previous owner's
   * bytes stay, because its records may name them.
   * @returns true if this caller, and so no other, has it now
   */
  async takeOver(
    claim: Pick<Claim, 'keyHash' | 'fingerprint' | 'claimedAt'> & Pick<NewClaim, 'message'>,
  ): Promise<boolean> {
    const { keyHash, fingerprint, claimedAt, message } = claim;
    const kept = messageValues(messageRows(message));
    const rows = await this.database.query(takeOver, [keyHash, fingerprint, claimedAt, ...kept]);
    return rows.length > 0;
  }

  /**
   * Makes the caller's own claim as old as one whose owner died, because its call ended without a known effect. The
   * same call may then be repeated at once.
   * @param ageMs the age from which `takeOver` is tried
   * @returns false if there is no such claim
   */
  async abandon(claim: Pick<Claim, 'keyHash' | 'fingerprint'>, ageMs: number): Promise<boolean> {
    const rows = await this.database.query(abandon, [claim.keyHash, claim.fingerprint, ageMs]);
    return rows.length > 0;
  }
}

async function giveBackAll(database: Queryable, claims: readonly OwnClaim[]): Promise<boolean[]> {
  const rows = await database.query<{ key_hash: Buffer }>(giveBack, [
    claims.map(({ keyHash }) => keyHash),
    claims.map(({ claimedAt }) => claimedAt),
    claims.map(({ message }) => message.id),
    claims.filter(({ message }) => message.items).map(({ message }) => message.id),
  ]);
  const removed = new Set(rows.map((row) => row.key_hash.toString('hex')));
  return claims.map(({ keyHash }) => removed.has(keyHash.toString('hex')));
}

const maxTries = 3;

async function claimAll(
  database: Queryable,
  claims: readonly NewClaim[],
  tries = maxTries,
): Promise<ClaimOutcome[]> {
  const inserted = await insertClaims(database, claims);
  // If keys are equal in one batch, the first one wins; the others find its row in the table.
  const won = claims.map(({ keyHash }) => {
    const hex = keyHash.toString('hex');
    const claimedAt = inserted.get(hex);
    inserted.delete(hex);
    return claimedAt;
  });
  const others = claims.filter((_, index) => !won[index]).map(({ keyHash }) => keyHash);
  const found = others.length === 0 ? [] : await findClaims(database, others);
  const byKey = new Map(found.map((claim) => [claim.keyHash.toString('hex'), claim]));
  // If a conflicting row has disappeared, it was given back in between, so its key is free.
  const free = claims.filter(
    ({ keyHash }, index) => !won[index] && !byKey.has(keyHash.toString('hex')),
  );
  if (free.length > 0 && tries === 1)
    throw new DependencyUnavailable('postgres', 'an idempotency claim is made and given back');
  const later = free.length === 0 ? [] : await claimAll(database, free, tries - 1);
  const freed = new Map(free.map((claim, index) => [claim, later[index] as ClaimOutcome]));
  return claims.map((claim, index) => {
    const claimedAt = won[index];
    if (claimedAt) return { kind: 'claimed', claimedAt };
    const existing = byKey.get(claim.keyHash.toString('hex'));
    return existing ? toOutcome(existing) : (freed.get(claim) as ClaimOutcome);
  });
}

function toOutcome({ fingerprint, reference, claimedAt, ageMs }: Claim): ClaimOutcome {
  return { kind: 'existing', fingerprint, reference, claimedAt, ageMs };
}
