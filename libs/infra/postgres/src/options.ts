import { type Logger } from '#infra/runtime';

export interface DatabaseOptions {
  /** The server's URL or, if `directUrl` is given, a pooler's that gives each transaction another session. */
  readonly url: string;
  /** The server's own URL, for work that needs a session: LISTEN, and locks and tables that outlive a transaction. */
  readonly directUrl?: string | undefined;
  /** Names the process in pg_stat_activity. */
  readonly app: string;
  readonly logger: Logger;
  /** Maximum number of connections. */
  readonly poolSize?: number;
  /** Schemas in the order of search, such as `views_2`. */
  readonly searchPath?: readonly string[];
  /** CLOCK_OFFSET: `records.now_()` adds it. */
  readonly clockOffsetMs?: number;
  /** Timeout of a statement. */
  readonly statementTimeoutMs?: number;
  /** The time after which the holder of an open transaction that sends nothing is disconnected. */
  readonly idleInTransactionMs?: number;
  /** The time for which a caller waits for a free connection. */
  readonly connectTimeoutMs?: number;
  /** Maximum number of callers that wait for a connection; further ones are refused at once. */
  readonly maxWaiting?: number;
  /** True if its transactions are pipelined. */
  readonly isPipelined?: boolean;
}

/** Returns the options with the server's own URL, so that each connection is a session. */
export function withSessions({ directUrl, ...options }: DatabaseOptions): DatabaseOptions {
  return directUrl === undefined ? options : { ...options, url: directUrl };
}

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /** Timeout in this transaction; if absent, the connection's own. */
  readonly statementTimeoutMs?: number;
}
