import { type OpenedTable } from '#domain/drills';
import { isSealed, type SealedTable } from '#records/keys';
import { plainIdentifier, type Queryable } from '#infra/postgres';
import { type Keyring, type MasterKey, UnopenableCiphertext } from '#shared/signing';
import { onSnapshot, type Pair } from './compare-records.js';

/** The drill opens a sample of a larger table, including its oldest and newest rows. */
const wholeTable = 500;
const ends = 100;

interface Row {
  readonly id: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly ownKey: Buffer | null;
}

/**
 * Opens the sealed rows of the copy: all rows of a table, or a bounded sample.
 * @param keyring the master keys; the drill adds the copy's data keys, so the ring must be this command's own
 */
export async function openSealed(
  { serving, copy }: Pair,
  keyring: Keyring,
  {
    tables,
    onTable,
  }: { readonly tables: readonly SealedTable[]; readonly onTable: (table: string) => void },
): Promise<readonly OpenedTable[]> {
  const kept = await serving.query<{ id: string }>('select id from records.data_keys');
  const known = new Set(kept.map(({ id }) => id));
  const isDataKeys = ({ table }: SealedTable): boolean => table === 'data_keys';
  const opened: OpenedTable[] = [];
  // Open the data keys first: other rows open only with them.
  for (const table of tables.toSorted(
    (one, other) => Number(isDataKeys(other)) - Number(isDataKeys(one)),
  )) {
    onTable(table.table);
    const rows = await onSnapshot(copy, (snapshot) => sample(snapshot, table));
    if (isDataKeys(table)) {
      for (const { id } of rows) known.add(id);
      useDataKeys(
        keyring,
        rows.flatMap((row) => dataKey(keyring, table, row)),
      );
    }
    opened.push(openRows(keyring, table, rows, known));
  }
  return opened;
}

/** Leaves out erased rows, which no key opens. */
async function sample(snapshot: Queryable, sealed: SealedTable): Promise<readonly Row[]> {
  const { table, idColumn, hasOwnKey } = sealed;
  const [name, id] = [`records.${plainIdentifier(table)}`, plainIdentifier(idColumn)];
  const columns = `${id}::text as id, key_id as "keyId", ciphertext, ${hasOwnKey ? 'own_key' : 'null::bytea'} as "ownKey"`;
  const readable = isSealed(sealed);
  const [counted] = await snapshot.query<{ rows: number }>(
    `select count(*)::float8 as rows from ${name} where ${readable}`,
  );
  const count = counted?.rows ?? 0;
  if (count <= wholeTable || table === 'data_keys')
    return snapshot.query<Row>(`select ${columns} from ${name} where ${readable} order by ${id}`);
  const percent = Math.min(100, (100 * wholeTable * 2) / count);
  return snapshot.query<Row>(
    `(select ${columns} from ${name} where ${readable} order by ${name}.${id} limit ${ends})
     union all (select ${columns} from ${name} where ${readable} order by ${name}.${id} desc limit ${ends})
     union all (select ${columns} from ${name} tablesample system (${percent}) where ${readable} limit ${wholeTable})`,
  );
}

function openRows(
  keyring: Keyring,
  table: SealedTable,
  rows: readonly Row[],
  dataKeys: ReadonlySet<string>,
): OpenedTable {
  let [opened, unopenable, erased] = [0, 0, 0];
  for (const row of rows)
    if (open(keyring, table, row)) opened += 1;
    // If neither database has the data key, it was deleted, and the rows that it sealed are erased.
    else if (row.keyId.includes('.') && !dataKeys.has(row.keyId)) erased += 1;
    else unopenable += 1;
  return { table: table.table, opened, unopenable, erased };
}

function open(
  keyring: Keyring,
  { label: labelOf, aad: aadOf }: SealedTable,
  { id, keyId, ciphertext, ownKey }: Row,
): Buffer | undefined {
  const [label, aad] = [labelOf(id), aadOf(id)];
  try {
    return ownKey
      ? keyring.openOwnBytes(label, ownKey, { keyId, ciphertext, aad })
      : keyring.openBytes(label, keyId, ciphertext, aad);
  } catch (error) {
    if (!(error instanceof UnopenableCiphertext)) throw error;
    return undefined;
  }
}

function dataKey(keyring: Keyring, table: SealedTable, row: Row): readonly MasterKey[] {
  const bytes = open(keyring, table, row);
  return bytes ? [{ id: row.id, bytes }] : [];
}

function useDataKeys(keyring: Keyring, keys: readonly MasterKey[]): void {
  const current = keys.at(-1);
  // The drill seals nothing, so any key may be the current one.
  if (current) keyring.useDataKeys({ keys, currentId: current.id });
}
