import { instantFromMs } from '#domain/kernel';
import { type BalanceRound, BalanceRounds, type ReportedAccount } from '#edges/rails';
import { type Queryable } from '#infra/postgres';

const leaseMinutes = 5;

const begin = `
  insert into records.rail_balance_rounds (channel, mode, next_attempt_at)
  values ($1, $2, records.now_()) on conflict do nothing`;
const lease = `
  update records.rail_balance_rounds set next_attempt_at = records.now_() + $3 * interval '1 minute'
  where channel = $1 and mode = $2 and next_attempt_at <= records.now_()
  returning (extract(epoch from asked_at) * 1000)::float8 as "askedAtMs", attempts`;
const answers = `
  select b.short_code as "shortCode", b.as_of as "asOf", b.accounts, b.digest
  from records.rail_balances b
  where b.channel = $1 and b.mode = $2 and b.asked_at = to_timestamp($3::float8 / 1000)::timestamptz(3)`;
const ask = `
  update records.rail_balance_rounds
  set asked_at = to_timestamp($3::float8 / 1000), attempts = attempts + 1,
    next_attempt_at = records.now_() + $4 * interval '1 millisecond'
  where channel = $1 and mode = $2`;
const putOff = `
  update records.rail_balance_rounds set next_attempt_at = records.now_() + $3 * interval '1 millisecond'
  where channel = $1 and mode = $2`;
const end = `
  update records.rail_balance_rounds
  set asked_at = null, attempts = 0, next_attempt_at = records.now_() + $3 * interval '1 millisecond'
  where channel = $1 and mode = $2`;
const tell = `
  insert into records.rail_balances as b (channel, mode, short_code, asked_at, as_of, accounts, digest)
  values ($1, $2, $3, to_timestamp($4::float8 / 1000), $5, $6, $7)
  on conflict (channel, mode, short_code) do update
    set asked_at = excluded.asked_at, as_of = excluded.as_of, accounts = excluded.accounts, digest = excluded.digest
    where b.asked_at <= excluded.asked_at`;

interface AnswerRow {
  readonly shortCode: string;
  readonly asOf: Date;
  readonly accounts: readonly (Omit<ReportedAccount, 'amountMinor'> & {
    readonly amountMinor: string;
  })[];
  readonly digest: string;
}

/** Rounds and answers as rows. */
export class RecordedBalanceRounds extends BalanceRounds {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async due({
    channel,
    mode,
  }: Parameters<BalanceRounds['due']>[0]): Promise<BalanceRound | undefined> {
    await this.database.query(begin, [channel, mode]);
    const [row] = await this.database.query<{
      readonly askedAtMs: number | null;
      readonly attempts: number;
    }>(lease, [channel, mode, leaseMinutes]);
    if (!row) return undefined;
    const { askedAtMs, attempts } = row;
    if (askedAtMs === null) return { askedAtMs: undefined, attempts, told: [] };
    const rows = await this.database.query<AnswerRow>(answers, [channel, mode, askedAtMs]);
    const told = rows.map(({ asOf, accounts, ...of }) => ({
      ...of,
      asOf: instantFromMs(asOf.getTime()),
      accounts: accounts.map((each) => ({ ...each, amountMinor: BigInt(each.amountMinor) })),
    }));
    return { askedAtMs, attempts, told };
  }

  override async asked(
    ...[{ channel, mode }, askedAtMs, nextInMs]: Parameters<BalanceRounds['asked']>
  ): Promise<void> {
    await this.database.query(ask, [channel, mode, askedAtMs, nextInMs]);
  }

  override async putOff(
    ...[{ channel, mode }, pauseMs]: Parameters<BalanceRounds['putOff']>
  ): Promise<void> {
    await this.database.query(putOff, [channel, mode, pauseMs]);
  }

  override async ended(
    ...[{ channel, mode }, nextInMs]: Parameters<BalanceRounds['ended']>
  ): Promise<void> {
    await this.database.query(end, [channel, mode, nextInMs]);
  }

  override async tell(
    ...[{ channel, mode }, told, askedAtMs]: Parameters<BalanceRounds['tell']>
  ): Promise<void> {
    const accounts = told.accounts.map((each) => ({
      ...each,
      amountMinor: each.amountMinor.toString(),
    }));
    await this.database.query(tell, [
      ...[channel, mode, told.shortCode, askedAtMs, told.asOf],
      ...[JSON.stringify(accounts), told.digest],
    ]);
  }
}
