import { type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs, type Minor, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { purposes, purposesUpTo, sumsUpTo } from '#views/balances';
import { ownServability, type OwnServability, requireOwnServable } from '#views/view-set';

/** The account of a statement. */
export interface StatementAccount {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly accountNo: string;
  readonly currency: string;
  readonly timezone: string;
}

/** Entries after the one position, up to and including the other. */
export interface StatementRange {
  readonly after: Position;
  readonly upTo: Position;
}

/** An account between two positions. Minor units. */
export interface AccountStatement extends StatementRange {
  readonly openingMinor: Minor;
  readonly closingMinor: Minor;
  readonly entries: bigint;
  readonly creditsMinor: Minor;
  /** Positive. */
  readonly debitsMinor: Minor;
  /** The time of the account's last entry up to the end; null if there is none. */
  readonly lastEntryAt: Instant | null;
}

/** One posting of the wallet. */
export interface StatementEntry {
  readonly position: Position;
  readonly eventId: string;
  readonly recordedAt: Instant;
  /** The day of the posting in the merchant's zone: YYYY-MM-DD. */
  readonly day: string;
  readonly kind: 'collection' | 'payout' | 'correction';
  /** The merchant's reference, or the correction's id. */
  readonly reference: string;
  readonly description: string;
  /** The rail's receipt, if it was known at the end of the statement. */
  readonly receipt: string | null;
  /** The amount that the customer paid or received, positive; null for a correction. */
  readonly grossMinor: Minor | null;
  /** Null for a correction. */
  readonly feeMinor: Minor | null;
  /** The change of the wallet: a credit is positive. */
  readonly amountMinor: Minor;
  readonly balanceMinor: Minor;
}

interface SumsRow extends OwnServability {
  readonly position: bigint;
  readonly opening: string;
  readonly closing: string;
  readonly entries: bigint;
  readonly credits: string;
  readonly debits: string;
  readonly last_at: Date | null;
}

const wallet = { mode: '$2', currency: '$3', account: `'wallet:' || $4` };

const selectSums = {
  name: 'statement-sums',
  text: `
  select c.position, ${ownServability({ merchant: '$1', mode: '$2' })},
    (o.credits_minor - o.debits_minor)::text as opening, (e.credits_minor - e.debits_minor)::text as closing,
    e.entries - o.entries as entries,
    (e.credits_minor - o.credits_minor)::text as credits, (e.debits_minor - o.debits_minor)::text as debits,
    last.recorded_at as last_at
  from checkpoint c
  cross join lateral ${sumsUpTo({ ...wallet, position: 'least($5::bigint, $6::bigint)' })} o
  cross join lateral ${sumsUpTo({ ...wallet, position: '$6' })} e
  left join lateral (
    select recorded_at from ledger_entries
    where mode = $2 and currency = $3 and account = 'wallet:' || $4 and position <= $6
    order by position desc limit 1
  ) last on true`,
};

/**
 * The sums of a statement, in one snapshot.
 * @throws DependencyUnavailable if the views are being built, or do not contain the log up to the end
 */
export async function readStatement(
  database: Queryable,
  { merchantId, mode, currency, accountNo }: StatementAccount,
  range: StatementRange,
): Promise<AccountStatement> {
  const values = [merchantId, mode, currency, accountNo, range.after, range.upTo];
  const [found] = await database.query<SumsRow>(selectSums, values);
  const row = requireOwnServable(found, { maxAgeMs: Number.POSITIVE_INFINITY });
  if (row.position < range.upTo) throw new RangeError('the views have not reached the end');
  return {
    ...range,
    openingMinor: BigInt(row.opening),
    closingMinor: BigInt(row.closing),
    entries: row.entries,
    creditsMinor: BigInt(row.credits),
    debitsMinor: BigInt(row.debits),
    lastEntryAt: row.last_at && instantFromMs(row.last_at.getTime()),
  };
}

/** Sums of an account's entries by their purpose. Minor units; only corrections have a sign. */
export interface DaySums {
  /** The total that customers paid. */
  readonly collectedMinor: Minor;
  /** Fees of collections and of payouts. */
  readonly feesMinor: Minor;
  /** The total that customers received. */
  readonly paidOutMinor: Minor;
  readonly correctionsMinor: Minor;
  readonly collections: bigint;
  readonly payouts: bigint;
  readonly corrections: bigint;
}

interface PurposesRow {
  readonly collections: string;
  readonly payouts: string;
  readonly collected_minor: string;
  readonly paid_out_minor: string;
  readonly fees_minor: string;
}

const dayWallet = { mode: '$1', currency: '$2', account: `'wallet:' || $3` };

const selectPurposes = {
  name: 'statement-purposes',
  text: `
  select ${purposes.map((sum) => `(e.${sum} - o.${sum})::text as ${sum}`).join(', ')}
  from ${purposesUpTo({ ...dayWallet, position: '$4' })} o
  cross join ${purposesUpTo({ ...dayWallet, position: '$5' })} e`,
};

/**
 * The sums between opening and closing balance: collections, fees, payouts and corrections. The entries are those of
 * the statement. As quick for millions of entries.
 */
export async function readDaySums(
  database: Queryable,
  { mode, currency, accountNo }: StatementAccount,
  statement: AccountStatement,
): Promise<DaySums> {
  const { after, upTo, openingMinor, closingMinor } = statement;
  const values = [mode, currency, accountNo, after, upTo];
  const [row] = await database.query<PurposesRow>(selectPurposes, values);
  if (!row) throw new TypeError('sums without a row');
  const [collectedMinor, feesMinor, paidOutMinor, collections, payouts] = [
    BigInt(row.collected_minor),
    BigInt(row.fees_minor),
    BigInt(row.paid_out_minor),
    BigInt(row.collections),
    BigInt(row.payouts),
  ];
  return {
    collectedMinor,
    feesMinor,
    paidOutMinor,
    collections,
    payouts,
    // The rest is neither a collection nor a payout.
    correctionsMinor: closingMinor - openingMinor - collectedMinor + feesMinor + paidOutMinor,
    corrections: statement.entries - collections - payouts,
  };
}

interface EntryRow {
  readonly position: bigint;
  readonly leg: number;
  readonly event_id: string;
  readonly recorded_at: Date;
  readonly day: string;
  readonly amount_minor: bigint;
  readonly fee_minor: bigint;
  readonly type: 'collection' | 'payout' | null;
  readonly reference: string | null;
  readonly receipt: string | null;
  readonly was_in_suspense: boolean | null;
  readonly correction: string | null;
  readonly why: string | null;
}

/** A page of some hundred kilobytes. */
const pageRows = 1000;

// The rail may name an item's receipt after its posting. A receipt unknown at the end is not in the statement.
const selectEntries = {
  name: 'statement-entries',
  text: `
  select e.position, e.leg, e.event_id, e.recorded_at, (e.recorded_at at time zone $7)::date as day,
    e.amount_minor, coalesce(f.amount_minor, 0) as fee_minor, t.type, t.reference,
    case when t.receipt_position <= $6 then t.receipt else c.receipt end as receipt,
    t.posted_at < t.completed_at as was_in_suspense, c.id as correction, c.why
  from ledger_entries e
  left join ledger_entries f on f.position = e.position and f.account = 'fees'
  left join transactions t on t.stream = e.stream
  left join corrections c on c.stream = e.stream
  where e.mode = $1 and e.currency = $2 and e.account = 'wallet:' || $3
    and (e.position, e.leg) > ($4, $5) and e.position <= $6
  order by e.position, e.leg limit ${pageRows}`,
};

/**
 * The entries of a statement in the order of the log. It keeps one page in memory. Entries are settled history, so
 * pages of several snapshots agree.
 * @throws RangeError if they do not add up to the closing balance: the ledger's entries were changed
 */
export async function* statementEntries(
  database: Queryable,
  account: StatementAccount,
  statement: StatementRange & Pick<AccountStatement, 'openingMinor' | 'closingMinor'>,
): AsyncGenerator<StatementEntry, void, void> {
  const { mode, currency, accountNo, timezone } = account;
  let balance = statement.openingMinor;
  let behind: { position: bigint; leg: number } = { position: statement.after, leg: 32_767 };
  for (;;) {
    const rows = await database.query<EntryRow>(selectEntries, [
      ...[mode, currency, accountNo, behind.position, behind.leg, statement.upTo, timezone],
    ]);
    for (const row of rows) {
      balance += row.amount_minor;
      yield entryFrom(row, balance);
    }
    const last = rows.at(-1);
    if (!last || rows.length < pageRows) break;
    behind = last;
  }
  if (balance !== statement.closingMinor)
    throw new RangeError('the entries do not come to the closing balance: npx pesapost verify');
}

function entryFrom(row: EntryRow, balanceMinor: Minor): StatementEntry {
  const { amount_minor: amountMinor, fee_minor: feeMinor } = row;
  const entry = {
    position: row.position,
    eventId: row.event_id,
    recordedAt: instantFromMs(row.recorded_at.getTime()),
    day: row.day,
    receipt: row.receipt,
    amountMinor,
    balanceMinor,
  };
  if (row.type === null) {
    const [reference, why] = [row.correction ?? '', row.why ?? ''];
    const told = { kind: 'correction', reference, description: `Correction: ${why}` } as const;
    return { ...entry, ...told, grossMinor: null, feeMinor: null };
  }
  // A collection's wallet gets the payment less the fee; a payout's wallet gives the payment and the fee.
  const grossMinor = row.type === 'collection' ? amountMinor + feeMinor : -amountMinor - feeMinor;
  const reference = row.reference ?? '';
  const name = row.type === 'collection' ? 'Collection' : 'Payout';
  const from = row.was_in_suspense === true ? ', from suspense' : '';
  const description = `${name} ${reference}${from}`;
  return { ...entry, kind: row.type, reference, description, grossMinor, feeMinor };
}
