import { type Clock } from '#domain/kernel';
import { type Opening, type UnopenedCallback, UnopenedCallbacks } from '#edges/rails';
import { type Database, type Queryable } from '#infra/postgres';

const insert = `
  insert into records.unopened_callbacks (id, token_key_id, key_id, ciphertext, source_address, from_rail)
  select $1, $2, $3, $4, $5, $6
    where (select count(*) from
      (select 1 from records.unopened_callbacks where from_rail = $6 limit $7) as kept) < $7
  returning 1`;
const lock = `
  select id, token_key_id, key_id, ciphertext, source_address, from_rail
    from records.unopened_callbacks
    where token_key_id = any($1) and key_id = any($2)
    order by received_at limit $3
    for update skip locked`;
const move = `
  insert into records.callback_inbox
      (id, channel, stream, key_id, ciphertext, source_address, trusted, purpose, received_at)
    select id, $2, $3, $4, $5, source_address, $6, $7, received_at
      from records.unopened_callbacks where id = $1
  on conflict (id) do nothing`;
const remove = `delete from records.unopened_callbacks where id = any($1)`;
const count = `select count(*)::integer as callbacks from records.unopened_callbacks`;

/** The rail's limit covers the callbacks of a deploy's minutes. Other senders must not fill the disk. */
const maxRows = { ofRail: 20_000, ofOthers: 2000 } as const;
/** Each insert counts the rows of its kind, so other senders have this rate limit: a flood costs this process little. */
const maxOfOthersPerSecond = 5;

/** Callbacks that no process could open yet. For untrusted senders they are limited by rows, and by a rate per process. */
export class RecordedUnopenedCallbacks extends UnopenedCallbacks {
  private second = 0;
  private inSecond = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  // Concurrent inserts may exceed the row limit by their number.
  override async keep(callback: UnopenedCallback): Promise<boolean> {
    const { id, tokenKeyId, keyId, ciphertext, sourceAddress, fromRail } = callback;
    if (!fromRail && this.isOverRate()) return false;
    const max = fromRail ? maxRows.ofRail : maxRows.ofOthers;
    const values = [id, tokenKeyId, keyId, ciphertext, sourceAddress, fromRail, max];
    return (await this.database.query(insert, values)).length > 0;
  }

  override move(
    keys: Parameters<UnopenedCallbacks['move']>[0],
    open: (callback: UnopenedCallback) => Promise<Opening>,
  ): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const rows = await transaction.query<{
        id: string;
        token_key_id: string;
        key_id: string;
        ciphertext: Buffer;
        source_address: string;
        from_rail: boolean;
      }>(lock, [keys.ofTokens, keys.ofCiphertexts, keys.max]);
      for (const row of rows) {
        const opening = await open({
          id: row.id,
          tokenKeyId: row.token_key_id,
          keyId: row.key_id,
          ciphertext: row.ciphertext,
          sourceAddress: row.source_address,
          fromRail: row.from_rail,
        });
        if (!opening) continue;
        const { channel, stream, purpose = null, keyId, ciphertext, trusted } = opening;
        const values = [row.id, channel, stream, keyId, ciphertext, trusted, purpose];
        await transaction.query(move, values);
      }
      if (rows.length > 0) await transaction.query(remove, [rows.map(({ id }) => id)]);
      return rows.length;
    });
  }

  private isOverRate(): boolean {
    const second = Math.floor(this.clock.nowMs() / 1000);
    if (second !== this.second) {
      this.second = second;
      this.inSecond = 0;
    }
    this.inSecond += 1;
    return this.inSecond > maxOfOthersPerSecond;
  }
}

/** The number of waiting callbacks; the limits of `keep` make it small. */
export async function countUnopenedCallbacks(database: Queryable): Promise<number> {
  const [row] = await database.query<{ callbacks: number }>(count);
  return row?.callbacks ?? 0;
}
