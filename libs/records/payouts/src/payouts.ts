import { type SealedTable } from '#records/keys';
import { type PhoneTraces } from '#domain/kernel';
import { type PhoneVault } from '#domain/collections';
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
 * @param olderThanMs if given, numbers that the same request has stored again since then stay
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

/** Inserts all rows in one commit. */
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

/** The numbers of open payouts as sealed rows; one statement serves the requests that arrive together. */
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
    const phone = this.keyring
      .openBytes(phoneLabel, row.key_id, row.ciphertext, id)
      .toString('utf8');
    return this.tracesOf(phone).phoneHmac === phoneHmac ? phone : undefined;
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

/** The items of payout batches, one sealed row per batch. */
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

/** Amounts are text. */
type WrittenItem = readonly [reference: string, phone: string, amount: string, fee: string];

function written({ reference, phone, amountMinor, feeMinor }: BatchItem): WrittenItem {
  return [reference, phone, amountMinor.toString(), feeMinor.toString()];
}

const count = {
  name: 'payout-allowances-count',
  text: `
  insert into records.payout_allowances (stream, kind, amount_minor, merchant_id, mode, day)
  select c.stream, c.kind, c.amount_minor, c.merchant_id, c.mode,
    (records.now_() at time zone c.timezone)::date
  from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
    as c (stream, kind, amount_minor, merchant_id, mode, timezone)
  on conflict do nothing`,
};
// The lock lasts until the transaction ends, so that no two approvals use the same room.
const lockDay = {
  name: 'payout-day-lock',
  text: `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
};
// The records count every amount that was about to be approved, whatever happened to its append. The view counts the
// log's other approvals of that day. An approval in both is counted once.
const sumOfDay = {
  name: 'payout-day-sum',
  text: `
  with today as (select (records.now_() at time zone $4)::date as day)
  select (
    (select coalesce(sum(a.amount_minor), 0) from records.payout_allowances a, today
      where a.merchant_id = $1 and a.mode = $2 and a.kind = $3 and a.day = today.day)
    + (select coalesce(sum(p.amount_minor), 0) from payout_approvals p, today
      where p.merchant_id = $1 and p.mode = $2 and ($3 <> 'automatic' or p.is_automatic)
        and p.approved_at >= today.day::timestamp at time zone $4
        and p.approved_at < (today.day + 1)::timestamp at time zone $4
        and not exists (select from records.payout_allowances a
          where a.stream in (p.stream, p.batch_stream) and a.kind = $3 and a.day = today.day))
  )::bigint as total_minor`,
};
const giveBack = {
  name: 'payout-allowance-give-back',
  text: `delete from records.payout_allowances where stream = $1`,
};

/** The day has no room; the transaction rolls its count back. */
class DayIsFull extends Error {}

/** The sums of merchants' days, by the database's clock, from rows and from the view of the log (PAY-50). */
export class RecordedPayoutAllowances extends PayoutAllowances {
  private readonly counting: MicroBatcher<AllowanceClaim, undefined>;

  constructor(private readonly database: Database) {
    super();
    this.counting = new MicroBatcher({
      flush: async (claims) => {
        await countAll(database, claims);
        return claims.map(() => undefined);
      },
    });
  }

  override async claim(claim: AllowanceClaim): Promise<boolean> {
    const { maxPerDayMinor } = claim;
    // Without a limit no claim needs to wait: claims that arrive together share one commit.
    if (maxPerDayMinor === undefined) {
      await this.counting.add(claim);
      return true;
    }
    try {
      await this.database.transaction((transaction) =>
        countWithin(transaction, claim, maxPerDayMinor),
      );
      return true;
    } catch (error) {
      if (error instanceof DayIsFull) return false;
      throw error;
    }
  }

  override async giveBack(stream: string): Promise<void> {
    await this.database.query(giveBack, [stream]);
  }
}

async function countAll(database: Queryable, claims: readonly AllowanceClaim[]): Promise<void> {
  await database.query(count, [
    claims.map(({ stream }) => stream),
    claims.map(({ kind }) => kind),
    claims.map(({ amountMinor }) => amountMinor),
    claims.map(({ merchantId }) => merchantId),
    claims.map(({ mode }) => mode),
    claims.map(({ timezone }) => timezone),
  ]);
}

/** @throws DayIsFull */
async function countWithin(
  transaction: Queryable,
  claim: AllowanceClaim,
  maxPerDayMinor: bigint,
): Promise<void> {
  const { merchantId, mode, kind, timezone } = claim;
  await transaction.query(lockDay, [`${kind} ${mode} ${merchantId}`]);
  await countAll(transaction, [claim]);
  const [sum] = await transaction.query<{ total_minor: bigint }>(sumOfDay, [
    ...[merchantId, mode, kind, timezone],
  ]);
  if (!sum || sum.total_minor > maxPerDayMinor) throw new DayIsFull();
}
