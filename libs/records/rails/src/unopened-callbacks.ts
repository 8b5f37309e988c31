import { type Clock } from '#domain/kernel';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';

/** A callback whose token the receiving process could not open. The ciphertext contains the token and the body. */
export interface UnopenedCallback {
  readonly id: string;
  /** The master key that the token names. */
  readonly tokenKeyId: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
  readonly sourceAddress: string;
  /** True if it came from an address of the rail, in either mode. */
  readonly fromRail: boolean;
}

/** The result of opening one callback: an inbox entry, or undefined if its token opens no collection. */
export type Opening =
  | {
      readonly channel: string;
      readonly stream: string;
      readonly purpose?: string;
      readonly keyId: string;
      readonly ciphertext: Buffer;
      readonly trusted: boolean;
    }
  | undefined;

export const unopenedLabel = 'unopened-callback';

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
// Every process notes the first key of its ring before it makes a token under it, so a token's key is always here.
const tokenKeys = {
  name: 'unopened-known-keys',
  text: `select key_id from records.token_keys where key_id = any($1)`,
};
// The count leaves out rows of an earlier release that name a key which no process here ever had.
const count = `
  select count(*)::integer as callbacks from records.unopened_callbacks callback
    where from_rail or exists (
      select from records.token_keys known where known.key_id = callback.token_key_id)`;

/** The rail's limit covers the callbacks of a deploy's minutes. Other senders must not fill the disk. */
const maxRows = { ofRail: 20_000, ofOthers: 2000 } as const;
/** Each insert counts the rows of its kind, so other senders have this rate limit: a flood costs this process little. */
const maxOfOthersPerSecond = 5;

/**
 * The result of keeping a callback. `stray`: no process of this installation ever made tokens under the key that it
 * names. `full`: the sender's kind has used up its rate or its rows.
 */
export type Keeping = 'kept' | 'stray' | 'full';

/**
 * Callbacks whose token is under a master key that the receiving process does not know. Those of untrusted senders must
 * name a key under which this installation made tokens (RAIL-5). They are limited by rows, and by a rate per process.
 */
export class UnopenedCallbacks {
  private second = 0;
  private inSecond = 0;
  /** Made-up tokens cost one statement at a time, however many come at once. */
  private readonly registered;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.registered = new MicroBatcher({
      flush: (keyIds: readonly string[]) => this.areRegistered(keyIds),
    });
  }

  // Concurrent inserts may exceed the row limit by their number.
  /** Resolves to `kept` if the callback is durable. @throws DependencyUnavailable */
  async keep(callback: UnopenedCallback): Promise<Keeping> {
    const { id, tokenKeyId, keyId, ciphertext, sourceAddress, fromRail } = callback;
    if (!fromRail && !(await this.registered.add(tokenKeyId))) return 'stray';
    if (!fromRail && this.isOverRate()) return 'full';
    const max = fromRail ? maxRows.ofRail : maxRows.ofOthers;
    const values = [id, tokenKeyId, keyId, ciphertext, sourceAddress, fromRail, max];
    return (await this.database.query(insert, values)).length > 0 ? 'kept' : 'full';
  }

  /**
   * Moves the oldest callbacks that these keys open into the inbox, each exactly once even if other workers run.
   * @param keys the ids of the keys that open tokens, and of those that open ciphertexts
   * @param open must not throw: one exception keeps all of them from moving
   * @returns how many callbacks were looked at
   * @throws DependencyUnavailable
   */
  move(
    keys: {
      readonly ofTokens: readonly string[];
      readonly ofCiphertexts: readonly string[];
      readonly max: number;
    },
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

  private async areRegistered(keyIds: readonly string[]): Promise<readonly boolean[]> {
    const rows = await this.database.query<{ readonly key_id: string }>(tokenKeys, [
      [...new Set(keyIds)],
    ]);
    const known = new Set(rows.map(({ key_id }) => key_id));
    return keyIds.map((keyId) => known.has(keyId));
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

/**
 * Counts waiting callbacks that the rail itself sent, or that name a key of this installation; the limits of `keep` make
 * it small. @throws DependencyUnavailable
 */
export async function countUnopenedCallbacks(database: Queryable): Promise<number> {
  const [row] = await database.query<{ callbacks: number }>(count);
  return row?.callbacks ?? 0;
}
