import { type Database } from '#infra/postgres';

/** The fields of a message's row that the check reads. */
export interface MessageRow {
  readonly id: string;
  readonly kind: string;
  readonly stream: string;
  readonly keyId: string;
  /** Undefined if it was erased. */
  readonly ownKey: Buffer | undefined;
  readonly isErased: boolean;
  readonly ciphertext: Buffer;
}

/** The sealed bytes of merchants' requests and of the rails' messages. */
export abstract class MessageRows {
  abstract find(ids: readonly string[]): Promise<readonly MessageRow[]>;
}

/** The minimum of EVIDENCE_RETENTION (OPS-19): whatever the records say, retention deleted no younger message. */
const minRetentionMs = 90 * 86_400_000;

const selectEmptied = `
  select (extract(epoch from up_to) * 1000)::float8 as "upToMs"
  from records.emptied_tables where table_name = 'sealed_messages'`;

/**
 * Returns the time in milliseconds since which all messages are present. Messages that were deleted under an earlier,
 * shorter EVIDENCE_RETENTION do not come back (AUD-22).
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

/** The messages in the records. */
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
