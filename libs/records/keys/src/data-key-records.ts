import { type Database, type Queryable } from '#infra/postgres';
import { type EncryptedSecret } from './service-secrets.js';

/** A data key as the records store it: wrapped by the master key that `keyId` names. */
export interface WrappedDataKey extends EncryptedSecret {
  readonly id: string;
  /** The key seals from the beginning of this month: YYYY-MM, UTC. */
  readonly period: string;
}

const list = `
  select id, period, key_id, ciphertext from records.data_keys order by period, created_at, id`;
const insert = `
  insert into records.data_keys (id, period, key_id, ciphertext) values ($1, $2, $3, $4)`;
// If several processes find no key for a month at the same time, only one makes it.
const oneMaker = `select pg_advisory_xact_lock(hashtext('records.data_keys'))`;
const periods = `
  select to_char(records.now_() at time zone 'UTC', 'YYYY-MM') as current,
         to_char((records.now_() + interval '2 days') at time zone 'UTC', 'YYYY-MM') as next`;
const tokenKeys = `select key_id, last_used_at from records.token_keys order by key_id`;
const noteTokenKey = `
  insert into records.token_keys (key_id, last_used_at) values ($1, records.now_())
  on conflict (key_id) do update set last_used_at = greatest(token_keys.last_used_at, excluded.last_used_at)`;
const registerKey = `
  insert into records.token_keys (key_id, last_used_at) values ($1, 'epoch') on conflict (key_id) do nothing`;

/** All data keys, oldest first; each year has a few. */
export async function listDataKeys(database: Queryable): Promise<WrappedDataKey[]> {
  const rows = await database.query<{
    id: string;
    period: string;
    key_id: string;
    ciphertext: Buffer;
  }>(list);
  return rows.map(({ key_id: keyId, ...row }) => ({ ...row, keyId }));
}

/** The current month, and the month in two days' time, by the database's clock. */
export async function dataKeyPeriods(
  database: Queryable,
): Promise<{ readonly current: string; readonly next: string }> {
  const [row] = await database.query<{ current: string; next: string }>(periods);
  if (!row) throw new Error('Postgres does not know what time it is');
  return row;
}

/**
 * Adds the key, unless one of those that exist by then is usable.
 * @param will true for an existing key that is usable
 */
export async function addDataKey(
  database: Database,
  key: WrappedDataKey,
  will: (existing: WrappedDataKey) => boolean,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(oneMaker);
    if ((await listDataKeys(transaction)).some(will)) return;
    await transaction.query(insert, [key.id, key.period, key.keyId, key.ciphertext]);
  });
}

/** Every master key under which tokens of callback URLs were made. A key that only a command used was last used in 1970. */
export async function listTokenKeys(
  database: Queryable,
): Promise<readonly { readonly keyId: string; readonly lastUsedAt: Date }[]> {
  const rows = await database.query<{ key_id: string; last_used_at: Date }>(tokenKeys);
  return rows.map(({ key_id: keyId, last_used_at: lastUsedAt }) => ({ keyId, lastUsedAt }));
}

/**
 * Records that a command makes a token of a callback URL under that master key. It never says that a running process uses
 * the key.
 */
export async function registerTokenKey(database: Queryable, keyId: string): Promise<void> {
  await database.query(registerKey, [keyId]);
}

/** Records that tokens of callback URLs are now made under that master key. */
export async function noteTokenKeyUse(database: Queryable, keyId: string): Promise<void> {
  await database.query(noteTokenKey, [keyId]);
}
