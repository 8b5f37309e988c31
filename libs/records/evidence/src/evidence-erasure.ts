import { EvidenceErasure, type PersonsEvidence } from '#domain/evidence';
import { type Database, type Queryable } from '#infra/postgres';
import { digestOfMessages } from './sealed-messages.js';

/** Streams per statement. */
const streamsAtOnce = 500;
/** The search for one number may read a table of many years. */
const findTimeoutMs = 600_000;

interface PersonRow {
  readonly id: string;
  readonly ciphertext: Buffer;
}

// Selects the messages of the person's streams, and requests with the number that led to nothing. For a batch, it
// selects the batch's request. It does not count what is erased already.
const ofPerson = `
  select distinct message.id, message.ciphertext
    from records.sealed_messages named
      join records.sealed_messages message on message.id = coalesce(named.within, named.id)
    where message.own_key is not null
      and (named.stream = any($1::text[]) or ($2::bytea is not null and named.phone_hmac = $2))`;
const formerOfPerson = `
  select id, ciphertext from records.rail_messages where stream = any($1::text[]) and length(ciphertext) > 0`;
const streamsWithNumber = `
  select distinct stream from records.sealed_messages where phone_hmac = $1`;
const remember = `
  insert into records.erased_streams (stream) select unnest($1::text[]) on conflict do nothing`;
const drop = `
  update records.sealed_messages set own_key = null, erased_at = records.now_()
    where own_key is not null and id in (
      select coalesce(within, id) from records.sealed_messages
        where stream = any($1::text[]) or ($2::bytea is not null and phone_hmac = $2))
  returning 1`;
// Earlier releases sealed these messages only under a data key: the statement deletes the bytes and keeps the row.
const empty = `
  update records.rail_messages set ciphertext = '', digest = ''
    where stream = any($1::text[]) and length(ciphertext) > 0
  returning 1`;
const forgetInbox = `
  delete from records.callback_inbox where stream = any($1::text[]) and applied_at is not null`;

/** Erases by stream, and by the number itself if a request contains it. */
export class RecordedEvidenceErasure extends EvidenceErasure {
  constructor(private readonly database: Database) {
    super();
  }

  override async find(phoneHmac: string, streams: readonly string[]): Promise<PersonsEvidence> {
    const rows = new Map<string, PersonRow>();
    await this.inParts(streams, phoneHmac, async (transaction, part, hmac) => {
      const found = await transaction.query<PersonRow>(ofPerson, [part, hmac]);
      const former = await transaction.query<PersonRow>(formerOfPerson, [part]);
      for (const row of [...found, ...former]) rows.set(row.id, row);
    });
    const digest = digestOfMessages([...rows.values()]);
    return { phoneHmac, streams, messages: rows.size, digest };
  }

  override async erase({ phoneHmac, streams }: PersonsEvidence): Promise<number> {
    let erased = 0;
    // From here on, a rail's message is stored without its key; so none escapes the deletion below.
    for (const part of partsOf(streams)) await this.database.query(remember, [part]);
    await this.inParts(streams, phoneHmac, async (transaction, part, hmac) => {
      erased += (await transaction.query(drop, [part, hmac])).length;
      erased += (await transaction.query(empty, [part])).length;
      await transaction.query(forgetInbox, [part]);
    });
    return erased;
  }

  /** Searches for the number itself once, with the first part. */
  private async inParts(
    streams: readonly string[],
    phoneHmac: string,
    work: (
      transaction: Queryable,
      part: readonly string[],
      phoneHmac: Buffer | null,
    ) => Promise<void>,
  ): Promise<void> {
    for (const [index, part] of partsOf(streams).entries())
      await this.database.transaction(
        (transaction) =>
          work(transaction, part, index === 0 ? Buffer.from(phoneHmac, 'hex') : null),
        { statementTimeoutMs: findTimeoutMs },
      );
  }
}

/** Returns at least one part. */
function partsOf(streams: readonly string[]): readonly (readonly string[])[] {
  const count = Math.max(1, Math.ceil(streams.length / streamsAtOnce));
  return Array.from({ length: count }, (_, index) =>
    streams.slice(index * streamsAtOnce, (index + 1) * streamsAtOnce),
  );
}

/** The streams that requests with the number are about; some may never have begun. */
export function findStreamsOfNumber(
  database: Database,
  phoneHmac: string,
): Promise<readonly string[]> {
  return database.transaction(
    async (transaction) => {
      const values = [Buffer.from(phoneHmac, 'hex')];
      const rows = await transaction.query<{ stream: string }>(streamsWithNumber, values);
      return rows.map(({ stream }) => stream);
    },
    { readOnly: true, statementTimeoutMs: findTimeoutMs },
  );
}
