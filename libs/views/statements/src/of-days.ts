import { type EventStore, type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import { boundsOfDay, positionBefore } from '#views/balances';
import { type AccountStatement, readStatement, type StatementAccount } from './statement.js';

/** The first and last day in the merchant's zone, YYYY-MM-DD. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** An account over whole days, with their beginning and end. */
export interface StatementOfDays extends AccountStatement, Days {
  readonly begins: Instant;
  /** The last day's end. If that day is not over, the time of the newest entry, if it is of these days. */
  readonly ends: Instant;
  readonly isOver: boolean;
}

/** The end of a statement. */
export interface StatementEnd {
  /** The position at the last day's end, or the latest one known so far; the views have reached it. */
  readonly position: Position;
  /** True if the last day was over when that position was found. */
  readonly isOver: boolean;
}

/** The statement sums the entries of an account, which may have millions. */
const statementTimeoutMs = 120_000;

/**
 * An account over days: the balance at the beginning, the postings, and the balance at the end.
 * @throws DependencyUnavailable; RangeError if the views have not reached the end
 */
export async function readStatementOfDays(
  ledger: { readonly database: Database; readonly store: Pick<EventStore, 'readAll'> },
  account: StatementAccount,
  { from, to }: Days,
  { position: upTo, isOver }: StatementEnd,
): Promise<StatementOfDays> {
  const { database } = ledger;
  const { begins } = await boundsOfDay(database, from, account.timezone);
  const { ends } = await boundsOfDay(database, to, account.timezone);
  const after = await positionBefore(ledger, begins);
  const found = await database.transaction(
    (transaction) => readStatement(transaction, account, { after, upTo }),
    { readOnly: true, statementTimeoutMs },
  );
  const firstMoment = instantFromMs(begins.getTime());
  const { lastEntryAt } = found;
  const soFar = lastEntryAt && lastEntryAt > firstMoment ? lastEntryAt : firstMoment;
  return {
    ...found,
    from,
    to,
    begins: firstMoment,
    isOver,
    ends: isOver ? instantFromMs(ends.getTime()) : soFar,
  };
}
