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
  readonly ends: Instant;
  /** The statement's own time: that of its newest entry, so that one position gives one text. */
  readonly asOf: Instant;
}

/** The entries of an account that has millions are summed up. */
const statementTimeoutMs = 120_000;

/**
 * An account over days: what it held when the first began, what was posted, what it held at the end.
 * @param upTo the last day's end, or what is known of it so far; the views have reached it
 * @throws DependencyUnavailable; RangeError where the views have not reached the end
 */
export async function readStatementOfDays(
  ledger: { readonly database: Database; readonly store: Pick<EventStore, 'readAll'> },
  account: StatementAccount,
  { from, to }: Days,
  upTo: Position,
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
  return {
    ...found,
    ...{ from, to, begins: firstMoment, ends: instantFromMs(ends.getTime()) },
    asOf: found.lastEntryAt ?? firstMoment,
  };
}
