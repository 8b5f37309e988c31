import { type Database } from '#infra/postgres';

/** A message's row of the records, as far as it is checked. */
export interface MessageRow {
  readonly id: string;
  readonly kind: string;
  readonly stream: string;
  readonly keyId: string;
  /** Undefined where it was erased. */
  readonly ownKey: Buffer | undefined;
  readonly isErased: boolean;
  readonly ciphertext: Buffer;
}

/** The sealed bytes of what merchants signed and rails said. */
export abstract class MessageRows {
  abstract find(ids: readonly string[]): Promise<readonly MessageRow[]>;
}

/** EVIDENCE_RETENTION is no less (OPS-19): whatever the records say, nothing younger was deleted by its age. */
const minRetentionMs = 90 * 86_400_000;

const selectEmptied = `
  select (extract(epoch from up_to) * 1000)::float8 as "upToMs"
  from records.emptied_tables where table_name = 'sealed_messages'`;

/**
 * Since when messages are there, in milliseconds: what was deleted under a shorter EVIDENCE_RETENTION than today's does not
 * come back (AUD-22).
 */
export async function messagesKeptSince(
  database: Database,
  { nowMs, retentionMs }: { readonly nowMs: number; readonly retentionMs: number },
): Promise<number> {
  const [emptied] = await database.query<{ readonly upToMs: number }>(selectEmptied);
  const deletedToMs = Math.min(emptied?.upToMs ?? 0, nowMs - minRetentionMs);
  return Math.max(nowMs - retentionMs, deletedToMs);
}

const select = {
  name: 'audit-messages',
  text: `
  select id::text, kind, stream, key_id as "keyId", own_key as "ownKey",
    erased_at is not null as "isErased", ciphertext
  from records.sealed_messages where id = any($1::uuid[])`,
};

/** Those that the records keep. */
export class RecordedMessages extends MessageRows {
  constructor(private readonly database: Database) {
    super();
  }

  override async find(ids: readonly string[]): Promise<readonly MessageRow[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.query<
      Omit<MessageRow, 'ownKey'> & { readonly ownKey: Buffer | null }
    >(select, [ids]);
    return rows.map((row) => ({ ...row, ownKey: row.ownKey ?? undefined }));
  }
}
