import { type Position } from '#domain/event-sourcing';
import { DependencyUnavailable, type Instant, type Minor, type Mode } from '#domain/kernel';
import { ledgerAccount } from '#domain/ledger';
import { type Queryable } from '#infra/postgres';
import { requireNoQuarantine, requireServable, type Servability } from '#views/view-set';

/** The clearing account of a rail as of a time of the rail. */
export interface ClearingAsOf {
  /** The opposite of the account's balance: what the rail holds by the ledger. */
  readonly ledgerMinor: Minor;
  /** Payouts that were given to the rail by that time and have no result. */
  readonly inFlightMinor: Minor;
  readonly position: Position;
}

// The balance now, less the postings of later money. The rail's own time counts where it is known, else the recording.
const select = {
  name: 'clearing-as-of',
  text: `
  select c.position, c.fresh_at, c.fresh_at >= $5::timestamptz as "isFresh",
    coalesce((
      select b.credits_minor - b.debits_minor from balances b
      where b.mode = $1 and b.currency = $2 and b.account = $3), 0)::text as balance,
    coalesce((
      select sum(e.amount_minor) from ledger_entries e
      left join transactions t on t.stream = e.stream
      left join bank_settlements s on s.stream = e.stream
      where e.mode = $1 and e.currency = $2 and e.account = $3 and e.position > $4
        and coalesce(s.paid_at, case when (t.type = 'payout') = (e.amount_minor > 0) then t.paid_at end,
          e.recorded_at) > $5::timestamptz), 0)::text as later,
    coalesce((
      select sum(t.amount_minor) from open_payouts p join transactions t on t.stream = p.stream
      where p.mode = $1 and p.channel = $6 and p.step = 'started' and t.started_at <= $5::timestamptz), 0)::text
      as "inFlight"
  from checkpoint c`,
};

interface Row extends Servability {
  readonly position: bigint;
  readonly isFresh: boolean | null;
  readonly balance: string;
  readonly later: string;
  readonly inFlight: string;
}

/**
 * Returns a rail's clearing account as of a time of the rail (BAL-3).
 * @param account `after`: a position of the log before which no posting is of a later time
 * @throws DependencyUnavailable if the views may lack postings of that time
 */
export async function clearingAsOf(
  database: Queryable,
  account: {
    readonly channel: string;
    readonly mode: Mode;
    readonly currency: string;
    readonly asOf: Instant;
    readonly after: Position;
  },
): Promise<ClearingAsOf> {
  const { channel, mode, currency, asOf, after } = account;
  await requireNoQuarantine(database, mode);
  const [row] = await database.query<Row>(select, [
    ...[mode, currency, ledgerAccount.railClearing(channel), after, asOf, channel],
  ]);
  const { position, isFresh, balance, later, inFlight } = requireServable(row);
  if (isFresh !== true)
    throw new DependencyUnavailable('read model', 'it is behind the time of the comparison');
  return {
    ledgerMinor: BigInt(later) - BigInt(balance),
    inFlightMinor: BigInt(inFlight),
    position,
  };
}

const newest = {
  name: 'bank-settlements-newest',
  text: `
  select channel, mode, currency, receipt, amount_minor as "amountMinor", paid_at as "paidAt",
    told_by as "by", recorded_at as "recordedAt"
  from bank_settlements where mode = $1 and channel = $2 order by position desc limit $3`,
};

/** A movement to the bank, as it is listed. */
export interface ListedSettlement {
  readonly channel: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly receipt: string;
  readonly amountMinor: Minor;
  readonly paidAt: Date | null;
  readonly by: string;
  readonly recordedAt: Date;
}

/** The newest movements to the bank. */
export function newestSettlements(
  database: Queryable,
  { channel, mode }: { readonly channel: string; readonly mode: Mode },
  limit: number,
): Promise<readonly ListedSettlement[]> {
  return database.query<ListedSettlement>(newest, [mode, channel, limit]);
}
