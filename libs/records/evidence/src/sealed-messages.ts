import { createHash } from 'node:crypto';
import { type MessageKind, type SealedMessage, SealedMessages } from '#domain/evidence';
import { type Keyring, newOwnKey, openRailMessage, sha256Hex } from '#shared/signing';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';

/** Columns of a message's row, in the order of `messageValues`. */
export const messageColumns = 'id, kind, stream, phone_hmac, within, key_id, own_key, ciphertext';

/** The types of those columns, as arrays. */
export const messageArrays = [
  ...['uuid', 'text', 'text', 'bytea', 'uuid', 'text', 'bytea', 'bytea'],
] as const;

/** The records' kind for a payout of a batch's request. */
const itemKind = 'request_item';

/** A message's own row, and one row for each payout of a batch's request. */
export function messageRows(message: SealedMessage): readonly (readonly unknown[])[] {
  const { id, kind, stream, phoneHmac, keyId, ownKey, ciphertext, items = [] } = message;
  return [
    [id, kind, stream, hmacBytes(phoneHmac), null, keyId, ownKey, ciphertext],
    ...items.map((item) => [
      ...[item.id, itemKind, item.stream, hmacBytes(item.phoneHmac), id],
      ...[keyId, null, nothing],
    ]),
  ];
}

/** The rows' columns, as one array each. */
export function messageValues(rows: readonly (readonly unknown[])[]): readonly unknown[][] {
  return messageArrays.map((_type, column) => rows.map((row) => row[column]));
}

const nothing = Buffer.alloc(0);

function hmacBytes(hex: string | undefined): Buffer | null {
  return hex === undefined ? null : Buffer.from(hex, 'hex');
}

/**
 * SQL that inserts messages. A message for a stream whose messages were erased is stored without its key.
 * @param given the source that has the columns
 */
export function insertOfMessages(given: string): string {
  return `
    insert into records.sealed_messages (${messageColumns}, erased_at)
    select id, kind, stream, phone_hmac, within, key_id,
        case when erased.stream is null then own_key end, ciphertext,
        case when erased.stream is not null then records.now_() end
      from ${given} left join records.erased_streams erased using (stream)
    on conflict (id) do nothing`;
}

const insert = {
  name: 'sealed-messages-insert',
  text: `${insertOfMessages(
    `unnest(${messageArrays.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
      as given (${messageColumns})`,
  )}
    returning id`,
};
const ownKeys = {
  name: 'sealed-messages-own-keys',
  text: `select id, own_key from records.sealed_messages where id = any($1::uuid[])`,
};
const remove = `delete from records.sealed_messages where id = $1 or within = $1`;

/** A statement that no caller waits for gathers messages for this long. */
const soonMs = 50;

/** Messages as rows; one statement inserts those that arrive together. */
export class RecordedSealedMessages extends SealedMessages {
  private readonly now;
  private readonly soon;

  constructor(private readonly database: Database) {
    super();
    const flush = (messages: readonly SealedMessage[]) => insertMessages(database, messages);
    this.now = new MicroBatcher({ flush, gathers: true });
    this.soon = new MicroBatcher({ flush, gathers: true, gatherMs: soonMs });
  }

  override keep(message: SealedMessage): Promise<Uint8Array> {
    return this.now.add(message);
  }

  override async keepSoon(message: SealedMessage): Promise<void> {
    await this.soon.add(message);
  }

  override async drop(id: string): Promise<void> {
    await this.database.query(remove, [id]);
  }
}

async function insertMessages(
  database: Queryable,
  messages: readonly SealedMessage[],
): Promise<Uint8Array[]> {
  const rows = await database.query<{ id: string }>(
    insert,
    messageValues(messages.flatMap(messageRows)),
  );
  const inserted = new Set(rows.map(({ id }) => id));
  const others = messages.map(({ id }) => id).filter((id) => !inserted.has(id));
  const kept =
    others.length === 0 ? new Map<string, OwnKeyRow>() : await findOwnKeys(database, others);
  return messages.map(({ id, ownKey }) =>
    inserted.has(id) ? ownKey : (kept.get(id)?.ownKey ?? newOwnKey()),
  );
}

/** The state of a message's own key. */
export interface OwnKeyRow {
  /** Undefined if it was erased. */
  readonly ownKey: Buffer | undefined;
}

/** Keys by message id. A message that does not exist has no entry, for example one older than EVIDENCE_RETENTION. */
export async function findOwnKeys(
  database: Queryable,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, OwnKeyRow>> {
  const rows = await database.query<{ id: string; own_key: Buffer | null }>(ownKeys, [messageIds]);
  return new Map(rows.map(({ id, own_key }) => [id, { ownKey: own_key ?? undefined }]));
}

/** A message read from the records. */
export interface StoredMessage {
  readonly id: string;
  readonly kind: MessageKind;
  readonly stream: string;
  readonly keyId: string;
  readonly ownKey: Buffer | undefined;
  readonly ciphertext: Buffer;
  readonly receivedAt: Date;
  readonly erasedAt: Date | undefined;
  /** Opens a message of an earlier release, which has no key of its own. @throws UnopenableCiphertext */
  readonly former?: (keyring: Keyring) => Buffer;
}

interface MessageRow {
  readonly id: string;
  readonly kind: MessageKind;
  readonly stream: string;
  readonly key_id: string;
  readonly own_key: Buffer | null;
  readonly ciphertext: Buffer;
  readonly received_at: Date;
  readonly erased_at: Date | null;
}

// The batch's request asked for each payout of the batch.
const ofStream = `
  select message.id, message.kind, message.stream, message.key_id, message.own_key, message.ciphertext,
      message.received_at, message.erased_at
    from records.sealed_messages named
      join records.sealed_messages message on message.id = coalesce(named.within, named.id)
    where named.stream = $1 order by message.received_at, message.id limit $2`;

const formerOfStream = `
  select id, stream, key_id, ciphertext, received_at from records.rail_messages
    where stream = $1 and id not in (select id from records.sealed_messages where stream = $1)
    order by received_at, id limit $2`;

/** The messages of a collection, a payout or a batch, oldest first, including those of earlier releases. */
export async function findMessages(
  database: Queryable,
  stream: string,
  max: number,
): Promise<StoredMessage[]> {
  const rows = await database.query<MessageRow>(ofStream, [stream, max]);
  const former = await database.query<MessageRow>(formerOfStream, [stream, max]);
  return [...former.map(formerMessage), ...rows.map(storedMessage)]
    .sort((one, other) => one.receivedAt.getTime() - other.receivedAt.getTime())
    .slice(0, max);
}

/** A rail's message about a collection or payout. Only its event says which kind of message it is. */
function formerMessage(row: MessageRow): StoredMessage {
  const { id, key_id: keyId, ciphertext } = row;
  return {
    ...storedMessage({ ...row, own_key: null, erased_at: null }),
    kind: row.stream.startsWith('payout-') ? 'result' : 'callback',
    // An erasure leaves no bytes.
    ...(ciphertext.length > 0 && {
      former: (keyring: Keyring) => openRailMessage(keyring, { id, keyId, ciphertext }),
    }),
  };
}

/** A digest over sealed rows: each id and the digest of its ciphertext, in the order of ids (EVT-43). */
export function digestOfMessages(
  rows: readonly Pick<StoredMessage, 'id' | 'ciphertext'>[],
): string {
  const hash = createHash('sha256');
  for (const { id, ciphertext } of rows.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
    hash.update(`${id} ${sha256Hex(ciphertext)}\n`);
  return hash.digest('hex');
}

function storedMessage(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    kind: row.kind,
    stream: row.stream,
    keyId: row.key_id,
    ownKey: row.own_key ?? undefined,
    ciphertext: row.ciphertext,
    receivedAt: row.received_at,
    erasedAt: row.erased_at ?? undefined,
  };
}
