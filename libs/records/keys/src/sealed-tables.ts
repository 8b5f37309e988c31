import { type Database, plainIdentifier, type Queryable } from '#infra/postgres';

/** A table of the records whose rows hold a `key_id` and a `ciphertext`. */
export interface SealedTable {
  /** The table's name without its schema. */
  readonly table: string;
  readonly idColumn: string;
  /** A `bytea` id is written as Postgres prints it: `\x` and hex. */
  readonly idType: 'uuid' | 'text' | 'bytea';
  /** The label that the row is sealed for. */
  readonly label: (id: string) => string;
  /** The additional data that bind a ciphertext to its row. */
  readonly aad: (id: string) => string;
  /** True if a data key seals the row, once one is loaded; otherwise the first master key seals it. */
  readonly underDataKey: boolean;
  /** True if the column `digest` contains the HMAC of the plaintext under the same key and label. */
  readonly hasDigest?: true;
  /** True if a row opens only with its column `own_key` as well. A row without it was erased and cannot be opened. */
  readonly hasOwnKey?: true;
  /** True if an erasure empties `ciphertext` and keeps the row. */
  readonly isEmptiedByErasure?: true;
}

export interface SealedRow {
  readonly id: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly ownKey?: Buffer;
}

/** A row after resealing. */
export interface ResealedRow extends SealedRow {
  readonly formerKeyId: string;
  readonly digest?: Buffer;
}

/** Counting reads the whole table, which may contain years of the rail's messages. */
const countTimeoutMs = 600_000;

/** The condition for rows that contain something sealed. Erased rows need no key any more. */
export function isSealed(
  { table, hasOwnKey, isEmptiedByErasure }: SealedTable,
  alias = table,
): string {
  if (hasOwnKey) return `${alias}.own_key is not null`;
  return isEmptiedByErasure ? `length(${alias}.ciphertext) > 0` : 'true';
}

/** @returns the number of rows that each key has sealed, without erased ones */
export function countByKey(
  database: Database,
  table: SealedTable,
): Promise<readonly { readonly keyId: string; readonly rows: number }[]> {
  const count = `
    select key_id, count(*)::float8 as rows from ${name(table.table)}
      where ${isSealed(table)} group by key_id`;
  return database.transaction(
    async (transaction) => {
      const counted = await transaction.query<{ key_id: string; rows: number }>(count);
      return counted.map(({ key_id: keyId, rows }) => ({ keyId, rows }));
    },
    { readOnly: true, statementTimeoutMs: countTimeoutMs },
  );
}

/** Rows after that id, in the order of ids, that one of these keys sealed; without erased ones. */
export async function rowsSealedUnder(
  database: Queryable,
  table: SealedTable,
  options: {
    readonly keyIds: readonly string[];
    readonly afterId: string | undefined;
    readonly max: number;
  },
): Promise<readonly SealedRow[]> {
  const { idType, hasOwnKey } = table;
  const id = plainIdentifier(table.idColumn);
  const select = `
    select ${id}::text as id, key_id, ciphertext${hasOwnKey ? ', own_key' : ''} from ${name(table.table)}
      where key_id = any($1) and ${isSealed(table)} and ($2::${idType} is null or ${id} > $2::${idType})
      order by ${id} limit $3`;
  const rows = await database.query<{
    id: string;
    key_id: string;
    ciphertext: Buffer;
    own_key?: Buffer;
  }>(select, [options.keyIds, options.afterId, options.max]);
  return rows.map(({ key_id: keyId, own_key: ownKey, ...row }) => ({
    ...row,
    keyId,
    ...(ownKey && { ownKey }),
  }));
}

/** Skips rows that were changed, erased or deleted meanwhile. @returns how many rows were changed */
export async function storeResealedRows(
  database: Queryable,
  table: SealedTable,
  rows: readonly ResealedRow[],
): Promise<number> {
  const { idType, hasDigest } = table;
  const digest = hasDigest ? ', digest = resealed.digest' : '';
  const update = `
    update ${name(table.table)} as kept
      set key_id = resealed.key_id, ciphertext = resealed.ciphertext${digest}
      from unnest($1::${idType}[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
        as resealed (id, former_key_id, key_id, ciphertext, digest)
      where kept.${plainIdentifier(table.idColumn)} = resealed.id and kept.key_id = resealed.former_key_id
        and ${isSealed(table, 'kept')}
    returning 1`;
  const changed = await database.query(update, [
    rows.map(({ id }) => id),
    rows.map(({ formerKeyId }) => formerKeyId),
    rows.map(({ keyId }) => keyId),
    rows.map(({ ciphertext }) => ciphertext),
    rows.map((row) => row.digest ?? null),
  ]);
  return changed.length;
}

function name(table: string): string {
  return `records.${plainIdentifier(table)}`;
}
