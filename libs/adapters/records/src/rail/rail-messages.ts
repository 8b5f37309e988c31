import { type RailMessage, RailMessages } from '#edges/rails';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';

export interface StoredRailMessage extends RailMessage {
  readonly receivedAt: Date;
}

const insert = {
  name: 'rail-messages-insert',
  text: `
    insert into records.rail_messages (id, stream, digest, key_id, ciphertext)
    select * from unnest($1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::bytea[])
    on conflict (id) do nothing`,
};
const ofStream = `
  select id, stream, digest, key_id, ciphertext, received_at
    from records.rail_messages where stream = $1 order by received_at, id`;

/** The rail's own bytes; those of the same moment go in one statement. */
export class RecordedRailMessages extends RailMessages {
  private readonly batcher;

  constructor(private readonly database: Database) {
    super();
    this.batcher = new MicroBatcher({
      flush: (messages: readonly RailMessage[]) => this.insert(messages),
      gathers: true,
    });
  }

  override async keep(message: RailMessage): Promise<void> {
    await this.batcher.add(message);
  }

  private async insert(messages: readonly RailMessage[]): Promise<readonly undefined[]> {
    await this.database.query(insert, [
      messages.map(({ id }) => id),
      messages.map(({ stream }) => stream),
      messages.map(({ digest }) => digest),
      messages.map(({ keyId }) => keyId),
      messages.map(({ ciphertext }) => ciphertext),
    ]);
    return messages.map(() => undefined);
  }
}

/** Oldest first. */
export async function findRailMessages(
  database: Queryable,
  stream: string,
): Promise<StoredRailMessage[]> {
  const rows = await database.query<{
    id: string;
    stream: string;
    digest: Buffer;
    key_id: string;
    ciphertext: Buffer;
    received_at: Date;
  }>(ofStream, [stream]);
  return rows.map(({ key_id: keyId, received_at: receivedAt, ...row }) => ({
    ...row,
    keyId,
    receivedAt,
  }));
}
