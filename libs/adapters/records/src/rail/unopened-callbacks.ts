import { type Database, type Queryable } from '#infra/postgres';
import { type InboxEntry } from './inbox.js';

/** A callback whose token could not be opened where it came in; token and body are in the ciphertext. */
export interface UnopenedCallback {
  readonly id: string;
  /** The master key that the token names. */
  readonly tokenKeyId: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly sourceAddress: string;
  /** Whether it came from an address of the rail, of either mode. */
  readonly fromRail: boolean;
}

/** What became of one: an entry of the inbox, or nothing where its token opens no collection. */
export type Opening = Omit<InboxEntry, 'id' | 'sourceAddress'> | undefined;

const insert = `
  insert into records.unopened_callbacks (id, token_key_id, key_id, ciphertext, source_address, from_rail)
  select $1, $2, $3, $4, $5, $6
    where (select count(*) from
      (select 1 from records.unopened_callbacks where from_rail = $6 limit $7) as kept) < $7
  returning 1`;
const lock = `
  select id, token_key_id, key_id, ciphertext, source_address, from_rail
    from records.unopened_callbacks
    where token_key_id = any($1) and key_id = any($2)
    order by received_at limit $3
    for update skip locked`;
const move = `
  insert into records.callback_inbox
      (id, stream, key_id, ciphertext, source_address, trusted, received_at)
    select id, $2, $3, $4, source_address, $5, received_at
      from records.unopened_callbacks where id = $1
  on conflict (id) do nothing`;
const remove = `delete from records.unopened_callbacks where id = any($1)`;
const count = `select count(*)::integer as callbacks from records.unopened_callbacks`;
/**
 * @param max rows of its kind (the rail's, or others') at most, give or take those that are inserted at the same time
 * @returns false where there are that many already
 */
export async function insertUnopenedCallback(
  database: Queryable,
  callback: UnopenedCallback,
  max: number,
): Promise<boolean> {
  const { id, tokenKeyId, keyId, ciphertext, sourceAddress, fromRail } = callback;
  const values = [id, tokenKeyId, keyId, ciphertext, sourceAddress, fromRail, max];
  return (await database.query(insert, values)).length > 0;
}

/**
 * Moves the oldest callbacks that these keys open into the inbox, each once, whatever other workers do.
 * @param keys whose tokens, and whose ciphertexts, can be opened
 * @param open must not throw: what it throws for one keeps all from moving
 * @returns how many were looked at
 */
export function moveUnopenedCallbacks(
  database: Database,
  keys: {
    readonly ofTokens: readonly string[];
    readonly ofCiphertexts: readonly string[];
    readonly max: number;
  },
  open: (callback: UnopenedCallback) => Promise<Opening>,
): Promise<number> {
  return database.transaction(async (transaction) => {
    const rows = await transaction.query<{
      id: string;
      token_key_id: string;
      key_id: string;
      ciphertext: Buffer;
      source_address: string;
      from_rail: boolean;
    }>(lock, [keys.ofTokens, keys.ofCiphertexts, keys.max]);
    for (const row of rows) {
      const opening = await open({
        id: row.id,
        tokenKeyId: row.token_key_id,
        keyId: row.key_id,
        ciphertext: row.ciphertext,
        sourceAddress: row.source_address,
        fromRail: row.from_rail,
      });
      if (!opening) continue;
      const { stream, keyId, ciphertext, trusted } = opening;
      await transaction.query(move, [row.id, stream, keyId, ciphertext, trusted]);
    }
    if (rows.length > 0) await transaction.query(remove, [rows.map(({ id }) => id)]);
    return rows.length;
  });
}

/** How many wait; they are few, by `insertUnopenedCallback`. */
export async function countUnopenedCallbacks(database: Queryable): Promise<number> {
  const [row] = await database.query<{ callbacks: number }>(count);
  return row?.callbacks ?? 0;
}
