import { type SealedTable } from '#adapters/keys';
import { type PhoneTraces, type PhoneVault } from '#domain/collections';
import { type AllowanceClaim, PayoutAllowances, PayoutPhones } from '#domain/payouts';
import { type Database, type Queryable } from '#infra/postgres';
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

const keep = `
  insert into records.payout_phones (id, stream, key_id, ciphertext) values ($1, $2, $3, $4)
  on conflict (id) do nothing`;
const find = {
  name: 'payout-phone',
  text: `select key_id, ciphertext from records.payout_phones where id = $1`,
};
const deleteNumbers = `delete from records.payout_phones where id = any($1::text[]) returning 1`;
const forget = `delete from records.payout_phones where stream = $1`;

/** Deletes numbers by the ids of their rows: a payout's stream and the number's digest. @returns how many */
export async function deletePayoutNumbers(
  database: Queryable,
  ids: readonly string[],
): Promise<number> {
  return (await database.query(deleteNumbers, [ids])).length;
}

/** The numbers of open payouts as sealed rows. */
export class RecordedPayoutPhones extends PayoutPhones {
  constructor(
    private readonly database: Queryable,
    private readonly keyring: Keyring,
    private readonly vault: PhoneVault,
  ) {
    super();
  }

  override tracesOf(phone: string): PhoneTraces {
    return this.vault.tracesOf(phone);
  }

  override async keep(stream: string, phoneHmac: string, phone: string): Promise<void> {
    const id = idOf(stream, phoneHmac);
    const { keyId, ciphertext } = this.keyring.seal(phoneLabel, phone, id);
    await this.database.query(keep, [id, stream, keyId, Buffer.from(ciphertext, 'base64')]);
  }

  override async find(stream: string, phoneHmac: string): Promise<string | undefined> {
    const id = idOf(stream, phoneHmac);
    const [row] = await this.database.query<{ key_id: string; ciphertext: Buffer }>(find, [id]);
    if (!row) return undefined;
    return this.keyring.openBytes(phoneLabel, row.key_id, row.ciphertext, id).toString('utf8');
  }

  override async forget(stream: string): Promise<void> {
    await this.database.query(forget, [stream]);
  }
}

function idOf(stream: string, phoneHmac: string): string {
  return `${stream} ${phoneHmac}`;
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
