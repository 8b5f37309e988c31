import { type Keyring, UnopenableCiphertext } from '#shared/signing';
import { type Database } from '#infra/postgres';
import {
  countByKey,
  type ResealedRow,
  rowsSealedUnder,
  type SealedRow,
  type SealedTable,
  storeResealedRows,
} from './sealed-tables.js';
import { dataKeyLabel } from './data-keys.js';

/** The tables that this module seals. */
export const sealedKeyTables: readonly SealedTable[] = [
  {
    table: 'data_keys',
    idColumn: 'id',
    idType: 'text',
    label: () => dataKeyLabel,
    aad: (id) => id,
    underDataKey: false,
  },
  {
    table: 'secrets',
    idColumn: 'name',
    idType: 'text',
    label: (name) => name,
    aad: () => '',
    underDataKey: false,
  },
];

export interface RewrapProgress {
  readonly table: string;
  readonly done: number;
  readonly of: number;
}

export interface RewrapResult {
  readonly table: string;
  readonly rewrapped: number;
  /** Damaged rows: the ring has their key, but it does not open them. */
  readonly unopenable: readonly string[];
  /** Rows sealed under a key that is not in the ring. */
  readonly ofUnknownKeys: number;
}

const rowsAtOnce = 200;

/**
 * Reseals every row of the table that the ring can open and that the current key did not seal. Each batch is one
 * statement, so after an interruption the next call continues with the rest.
 * @throws DependencyUnavailable
 */
export async function rewrapTable(
  database: Database,
  keyring: Keyring,
  { table, onProgress }: { table: SealedTable; onProgress?: (progress: RewrapProgress) => void },
): Promise<RewrapResult> {
  const counts = await countByKey(database, table);
  const isKnown = (keyId: string) => keyring.keyIds.includes(keyId);
  const keyIds = counts.map(({ keyId }) => keyId).filter((id) => isKnown(id) && !isCurrent(id));
  const sum = (of: (keyId: string) => boolean) =>
    counts.filter(({ keyId }) => of(keyId)).reduce((total, { rows }) => total + rows, 0);
  const of = sum((keyId) => keyIds.includes(keyId));
  const unopenable: string[] = [];
  let rewrapped = 0;
  let afterId: string | undefined;
  for (let left = keyIds.length > 0; left;) {
    const rows = await rowsSealedUnder(database, table, { keyIds, afterId, max: rowsAtOnce });
    const resealed = rows.flatMap((row) => reseal(keyring, table, row) ?? []);
    const opened = new Set(resealed.map(({ id }) => id));
    unopenable.push(...rows.filter(({ id }) => !opened.has(id)).map(({ id }) => id));
    if (resealed.length > 0) rewrapped += await storeResealedRows(database, table, resealed);
    onProgress?.({ table: table.table, done: rewrapped, of });
    afterId = rows.at(-1)?.id;
    left = rows.length === rowsAtOnce;
  }
  const ofUnknownKeys = sum((keyId) => !isKnown(keyId));
  return { table: table.table, rewrapped, unopenable, ofUnknownKeys };

  /** True for a data key: another data key need not replace it. */
  function isCurrent(keyId: string): boolean {
    const isMaster = keyring.hasMasterKey(keyId);
    return table.underDataKey ? !isMaster : keyId === keyring.currentKeyId;
  }
}

/** @returns undefined if the row is damaged */
function reseal(
  keyring: Keyring,
  { label: labelOf, aad: aadOf, underDataKey, hasDigest }: SealedTable,
  { id, keyId: formerKeyId, ciphertext, ownKey }: SealedRow,
): ResealedRow | undefined {
  const [label, aad] = [labelOf(id), aadOf(id)];
  try {
    if (ownKey) {
      const sealed = { keyId: formerKeyId, ciphertext, aad };
      const plaintext = keyring.openOwnBytes(label, ownKey, sealed);
      return { id, formerKeyId, ...keyring.sealOwnBytes(label, ownKey, { plaintext, aad }) };
    }
    const bytes = keyring.openBytes(label, formerKeyId, ciphertext, aad);
    const sealed = underDataKey
      ? keyring.sealDataBytes(label, bytes, aad)
      : { keyId: keyring.currentKeyId, ciphertext: keyring.sealBytes(label, bytes, aad) };
    const digest = hasDigest && { digest: keyring.hmacUnder(sealed.keyId, label, bytes) };
    return { id, formerKeyId, ...sealed, ...digest };
  } catch (error) {
    if (!(error instanceof UnopenableCiphertext)) throw error;
    return undefined;
  }
}
