import { type EventStore, type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs } from '#domain/kernel';
import { type Database } from '#infra/postgres';
import { boundsOfDay, positionBefore } from '#views/balances';
import { type AccountStatement, readStatement, type StatementAccount } from './statement.js';

/** Days of the merchant's zone, first and last, YYYY-MM-DD. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** An account over whole days, and when they begin and end. */
export interface StatementOfDays extends AccountStatement, Days {
  readonly begins: Instant;
  /** The last day's end; where it is not over, that of the newest entry, if that is of these days. */
  readonly ends: Instant;
  readonly isOver: boolean;
}

/** Where a statement ends. */
export interface StatementEnd {
  /** For the last day's end, or for what is known of it so far; the views have reached it. */
  readonly position: Position;
  /** Whether the last day was over when that position was looked for. */
  readonly isOver: boolean;
}

/** The entries of an account that has millions are summed up. */
const statementTimeoutMs = 120_000;

/**
 * An account over days: what it held when the first began, what was posted, what it held at the end.
 * @throws DependencyUnavailable; RangeError where the views have not reached the end
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
