import { type SealedTable } from '#adapters/keys';
import { type PhoneTraces, type PhoneVault } from '#domain/collections';
import {
  type AllowanceClaim,
  type BatchItem,
  PayoutAllowances,
  PayoutBatchItems,
  type PayoutPhone,
  PayoutPhones,
} from '#domain/payouts';
import { type Database, MicroBatcher, type Queryable } from '#infra/postgres';
import { type Keyring } from '#shared/signing';

const phoneLabel = 'payout_phone';

/** A ciphertext that is moved to another payout does not open. */
export const sealedPayoutPhones: SealedTable = {
  table: 'payout_phones',
  idColumn: 'id',
  idType: 'text',
  label: () => phoneLabel,
  aad: (id) => id,
  underDataKey: false,
};

const keep = {
  name: 'payout-phones-keep',
  text: `
  insert into records.payout_phones (id, stream, key_id, ciphertext)
  select distinct on (id) * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
    as kept (id, stream, key_id, ciphertext)
  on conflict (id) do update set kept_at = records.now_()`,
};
const find = {
  name: 'payout-phone',
  text: `select id, key_id, ciphertext from records.payout_phones where id = any($1::text[])`,
};
const deleteNumbers = `
  delete from records.payout_phones where id = any($1::text[])
    and ($2::bigint is null or kept_at < records.now_() - $2 * interval '1 millisecond')
  returning 1`;
const forget = {
  name: 'payout-phones-forget',
  text: `delete from records.payout_phones where stream = any($1::text[])`,
};

/**
 * Deletes numbers by the ids of their rows: a payout's stream and the number's digest.
 * @param olderThanMs where given, those that the same request has kept again since stay
 * @returns how many
 */
export async function deletePayoutNumbers(
  database: Queryable,
  ids: readonly string[],
  olderThanMs?: number,
): Promise<number> {
  return (await database.query(deleteNumbers, [ids, olderThanMs ?? null])).length;
}

interface NumberRow {
  readonly id: string;
  readonly stream: string;
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

/** One commit for all of them. */
async function keepRows(database: Queryable, rows: readonly NumberRow[]): Promise<undefined[]> {
  await database.query(keep, [
    rows.map(({ id }) => id),
    rows.map(({ stream }) => stream),
    rows.map(({ keyId }) => keyId),
    rows.map(({ ciphertext }) => ciphertext),
  ]);
  return rows.map(() => undefined);
}

interface SealedPhone {
  readonly id: string;
  readonly key_id: string;
  readonly ciphertext: Buffer;
}

async function findRows(
  database: Queryable,
  ids: readonly string[],
): Promise<(SealedPhone | undefined)[]> {
  const rows = await database.query<SealedPhone>(find, [ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

/** The numbers of open payouts as sealed rows; what is asked for at the same time goes in one statement. */
export class RecordedPayoutPhones extends PayoutPhones {
  private readonly keeping: MicroBatcher<NumberRow, undefined>;
  private readonly finding: MicroBatcher<string, SealedPhone | undefined>;
  private readonly forgetting: MicroBatcher<string, undefined>;

  constructor(
    private readonly database: Queryable,
    private readonly keyring: Keyring,
    private readonly vault: Pick<PhoneVault, 'tracesOf'>,
  ) {
    super();
    this.keeping = new MicroBatcher({ flush: (rows) => keepRows(database, rows) });
    this.finding = new MicroBatcher({ flush: (ids) => findRows(database, ids) });
    this.forgetting = new MicroBatcher({
      flush: async (streams) => {
        await this.forgetAll(streams);
        return streams.map(() => undefined);
      },
    });
  }

  override tracesOf(phone: string): PhoneTraces {
    return this.vault.tracesOf(phone);
  }

  override async keep(stream: string, phoneHmac: string, phone: string): Promise<void> {
    await this.keeping.add(this.sealed({ stream, phoneHmac, phone }));
  }

  override async find(stream: string, phoneHmac: string): Promise<string | undefined> {
    const id = idOf(stream, phoneHmac);
    const row = await this.finding.add(id);
    if (!row) return undefined;
    return this.keyring.openBytes(phoneLabel, row.key_id, row.ciphertext, id).toString('utf8');
  }

  override async forget(stream: string, phoneHmac?: string): Promise<void> {
    if (phoneHmac === undefined) await this.forgetting.add(stream);
    else await deletePayoutNumbers(this.database, [idOf(stream, phoneHmac)]);
  }

  override async keepAll(phones: readonly PayoutPhone[]): Promise<void> {
    await keepRows(
      this.database,
      phones.map((each) => this.sealed(each)),
    );
  }

  override async forgetAll(streams: readonly string[]): Promise<void> {
    if (streams.length > 0) await this.database.query(forget, [streams]);
  }

  private sealed({ stream, phoneHmac, phone }: PayoutPhone): NumberRow {
    const id = idOf(stream, phoneHmac);
    const { keyId, ciphertext } = this.keyring.seal(phoneLabel, phone, id);
    return { id, stream, keyId, ciphertext: Buffer.from(ciphertext, 'base64') };
  }
}

function idOf(stream: string, phoneHmac: string): string {
  return `${stream} ${phoneHmac}`;
}

const batchLabel = 'payout_batch';

export const sealedPayoutBatches: SealedTable = {
  table: 'payout_batches',
  idColumn: 'id',
  idType: 'uuid',
  label: () => batchLabel,
  aad: (id) => id,
  underDataKey: false,
};

const keepBatch = `
  insert into records.payout_batches (id, stream, key_id, ciphertext) values ($1, $2, $3, $4)`;
const findBatch = `select key_id, ciphertext from records.payout_batches where id = $1`;
const forgetBatch = `delete from records.payout_batches where id = $1`;

/** What batches ask for, a sealed row each. */
export class RecordedPayoutBatchItems extends PayoutBatchItems {
  constructor(
    private readonly database: Queryable,
    private readonly keyring: Keyring,
  ) {
    super();
  }

  override async keep(id: string, stream: string, items: readonly BatchItem[]): Promise<void> {
    const { keyId, ciphertext } = this.keyring.seal(
      batchLabel,
      JSON.stringify(items.map(written)),
      id,
    );
    await this.database.query(keepBatch, [id, stream, keyId, Buffer.from(ciphertext, 'base64')]);
  }

  override async find(id: string): Promise<readonly BatchItem[] | undefined> {
    const [row] = await this.database.query<{ key_id: string; ciphertext: Buffer }>(findBatch, [
      id,
    ]);
    if (!row) return undefined;
    const text = this.keyring.openBytes(batchLabel, row.key_id, row.ciphertext, id);
    return (JSON.parse(text.toString('utf8')) as WrittenItem[]).map(
      ([reference, phone, amount, fee]) => ({
        reference,
        phone,
        amountMinor: BigInt(amount),
        feeMinor: BigInt(fee),
      }),
    );
  }

  override async forget(id: string): Promise<void> {
    await this.database.query(forgetBatch, [id]);
  }
}

/** Amounts as text. */
type WrittenItem = readonly [reference: string, phone: string, amount: string, fee: string];

function written({ reference, phone, amountMinor, feeMinor }: BatchItem): WrittenItem {
  return [reference, phone, amountMinor.toString(), feeMinor.toString()];
}

const count = {
  name: 'payout-allowance-count',
  text: `
  insert into records.payout_allowances (stream, kind, amount_minor, merchant_id, mode, day)
  values ($1, $2, $3, $4, $5, (records.now_() at time zone $6)::date)
  on conflict do nothing
  returning day`,
};
// The row of the day is locked until the transaction ends: no two requests pass with the same room.
const addToDay = {
  name: 'payout-day-add',
  text: `
  insert into records.payout_days as d (kind, merchant_id, mode, day, total_minor)
  select $1, $2, $3, $4, $5::bigint where $5::bigint <= $6::bigint
  on conflict (kind, merchant_id, mode, day) do update
    set total_minor = d.total_minor + excluded.total_minor
    where d.total_minor + excluded.total_minor <= $6::bigint
  returning 1`,
};
const giveBack = {
  name: 'payout-allowance-give-back',
  text: `
  with given as (
    delete from records.payout_allowances where stream = $1
    returning kind, merchant_id, mode, day, amount_minor
  ), sums as (
    select kind, merchant_id, mode, day, sum(amount_minor) as minor from given group by 1, 2, 3, 4
  )
  update records.payout_days d set total_minor = d.total_minor - s.minor
  from sums s
  where d.kind = s.kind and d.merchant_id = s.merchant_id and d.mode = s.mode and d.day = s.day`,
};

/** The day has no room: what the transaction counted is undone. */
class DayIsFull extends Error {}

/** The sums of merchants' days as rows, by the database's clock. */
export class RecordedPayoutAllowances extends PayoutAllowances {
  constructor(private readonly database: Database) {
    super();
  }

  override async claim(claim: AllowanceClaim): Promise<boolean> {
    try {
      await this.database.transaction((transaction) => this.count(transaction, claim));
      return true;
    } catch (error) {
      if (error instanceof DayIsFull) return false;
      throw error;
    }
  }

  private async count(transaction: Queryable, claim: AllowanceClaim): Promise<void> {
    const { stream, kind, amountMinor, merchantId, mode, timezone, maxPerDayMinor } = claim;
    const [counted] = await transaction.query<{ day: string }>(count, [
      ...[stream, kind, amountMinor, merchantId, mode, timezone],
    ]);
    if (!counted) return;
    const added = await transaction.query(addToDay, [
      ...[kind, merchantId, mode, counted.day, amountMinor, maxPerDayMinor],
    ]);
    if (added.length === 0) throw new DayIsFull();
  }

  override async giveBack(stream: string): Promise<void> {
    await this.database.query(giveBack, [stream]);
  }
}
