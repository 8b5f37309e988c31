import { DependencyUnavailable } from '#domain/kernel';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';

/** A claim to an idempotency key: who comes with the same key later is compared with it. */
export interface NewClaim {
  /** HMAC of merchant, mode, route and key. */
  readonly keyHash: Buffer;
  /** HMAC of the validated fields. */
  readonly fingerprint: Buffer;
  readonly reference: string;
}

export interface Claim extends NewClaim {
  /** Exact to the millisecond, so that it can be given back to `takeOverClaim`. */
  readonly claimedAt: Date;
  /** By the database's clock. */
  readonly ageMs: number;
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claimedAt: Date }
  | ({ readonly kind: 'existing' } & Omit<Claim, 'keyHash'>);

const insert = {
  name: 'claims-insert',
  text: `
    insert into records.idempotency_claims (key_hash, fingerprint, reference)
    select * from unnest($1::bytea[], $2::bytea[], $3::text[])
    on conflict do nothing
    returning key_hash, claimed_at`,
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
  update records.idempotency_claims set claimed_at = greatest(records.now_(), claimed_at + interval '1 millisecond')
    where key_hash = $1 and fingerprint = $2 and claimed_at = $3
  returning 1`;
const abandon = `
  update records.idempotency_claims set claimed_at = least(claimed_at, records.now_() - $3 * interval '1 millisecond')
    where key_hash = $1 and fingerprint = $2
  returning 1`;
const giveBack = {
  name: 'claims-give-back',
  text: `
    delete from records.idempotency_claims claim
      using unnest($1::bytea[], $2::timestamptz[]) as given (key_hash, claimed_at)
      where claim.key_hash = given.key_hash and claim.claimed_at = given.claimed_at
    returning claim.key_hash`,
};
const deleteOld = `
  delete from records.idempotency_claims
    where key_hash in (
      select key_hash from records.idempotency_claims
        where claimed_at < records.now_() - $1 * interval '1 millisecond'
        order by claimed_at limit $2)
  returning 1`;

/**
 * Inserts the claims that do not exist yet.
 * @returns when those inserted were claimed, by their key hash as lower-case hex
 */
export async function insertClaims(
  database: Queryable,
  claims: readonly NewClaim[],
): Promise<Map<string, Date>> {
  // In the order of the key, so that two statements never wait for each other.
  const sorted = claims.toSorted((a, b) => a.keyHash.compare(b.keyHash));
  const rows = await database.query<{ key_hash: Buffer; claimed_at: Date }>(insert, [
    sorted.map(({ keyHash }) => keyHash),
    sorted.map(({ fingerprint }) => fingerprint),
    sorted.map(({ reference }) => reference),
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

/**
 * Takes over a claim whose owner seems to have died, where it is still as it was seen.
 * @returns whether this caller, and so no other, has it now
 */
export async function takeOverClaim(
  database: Queryable,
  claim: Pick<Claim, 'keyHash' | 'fingerprint' | 'claimedAt'>,
): Promise<boolean> {
  const { keyHash, fingerprint, claimedAt } = claim;
  const rows = await database.query(takeOver, [keyHash, fingerprint, claimedAt]);
  return rows.length > 0;
}

/**
 * Makes a claim of one's own as old as one whose owner died, because its call ended without an effect that is
 * known: the same call may come again at once.
 * @param ageMs the age from which `takeOverClaim` is tried
 * @returns false where there is no such claim
 */
export async function abandonClaim(
  database: Queryable,
  claim: Pick<Claim, 'keyHash' | 'fingerprint'>,
  ageMs: number,
): Promise<boolean> {
  const rows = await database.query(abandon, [claim.keyHash, claim.fingerprint, ageMs]);
  return rows.length > 0;
}

/** Deletes claims older than `ageMs`, `most` at a time. @returns how many */
export async function deleteOldClaims(
  database: Queryable,
  ageMs: number,
  max = 5000,
): Promise<number> {
  return (await database.query(deleteOld, [ageMs, max])).length;
}

type OwnClaim = Pick<Claim, 'keyHash' | 'claimedAt'>;

/** Claims keys in micro-batches: one statement for all that arrive while the one before is in flight. */
export class IdempotencyClaims {
  readonly #batcher: MicroBatcher<NewClaim, ClaimOutcome>;
  readonly #givenBack: MicroBatcher<OwnClaim, boolean>;

  constructor(readonly database: Database) {
    this.#batcher = new MicroBatcher({ flush: (claims) => claimAll(database, claims) });
    this.#givenBack = new MicroBatcher({ flush: (claims) => giveBackAll(database, claims) });
  }

  /** @throws DependencyUnavailable */
  claim(claim: NewClaim): Promise<ClaimOutcome> {
    return this.#batcher.add(claim);
  }

  /**
   * Removes a claim that the caller made and that came to nothing, as if it had never been made. One that was taken
   * over meanwhile is another's, and stays.
   * @returns whether it was still the caller's
   * @throws DependencyUnavailable
   */
  giveBack(claim: OwnClaim): Promise<boolean> {
    return this.#givenBack.add(claim);
  }
}

async function giveBackAll(database: Queryable, claims: readonly OwnClaim[]): Promise<boolean[]> {
  const rows = await database.query<{ key_hash: Buffer }>(giveBack, [
    claims.map(({ keyHash }) => keyHash),
    claims.map(({ claimedAt }) => claimedAt),
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
  // Of equal keys in one batch the first one has it; the others find it in the table.
  const won = claims.map(({ keyHash }) => {
    const hex = keyHash.toString('hex');
    const claimedAt = inserted.get(hex);
    inserted.delete(hex);
    return claimedAt;
  });
  const others = claims.filter((_, index) => !won[index]).map(({ keyHash }) => keyHash);
  const found = others.length === 0 ? [] : await findClaims(database, others);
  const byKey = new Map(found.map((claim) => [claim.keyHash.toString('hex'), claim]));
  // A row that was in the way and is gone again was given back in between: those keys are free.
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
