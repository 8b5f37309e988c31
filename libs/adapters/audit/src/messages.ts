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
