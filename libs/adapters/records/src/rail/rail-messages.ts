import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';

/** The rail's own bytes, encrypted. */
export interface RailMessage {
  readonly id: string;
  readonly stream: string;
  /** HMAC-SHA256 of the raw bytes under the key that `keyId` names: a plain digest would give a phone number away. */
  readonly digest: Buffer;
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

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
/** Keeps the rail's words in micro-batches; resolves when they are durable. */
export class RailMessageWriter {
  readonly #batcher: MicroBatcher<RailMessage, undefined>;

  constructor(readonly database: Database) {
    this.#batcher = new MicroBatcher({
      flush: async (messages) => {
        await insertRailMessages(database, messages);
        return messages.map(() => undefined);
      },
    });
  }

  /** @throws DependencyUnavailable */
  async add(message: RailMessage): Promise<void> {
    await this.#batcher.add(message);
  }
}

export async function insertRailMessages(
  database: Queryable,
  messages: readonly RailMessage[],
): Promise<void> {
  await database.query(insert, [
    messages.map(({ id }) => id),
    messages.map(({ stream }) => stream),
    messages.map(({ digest }) => digest),
    messages.map(({ keyId }) => keyId),
    messages.map(({ ciphertext }) => ciphertext),
  ]);
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
