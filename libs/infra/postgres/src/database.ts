import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { DependencyUnavailable } from '#domain/kernel';
import { crashPoints } from '#infra/runtime';
import { copyRows } from './copy-rows.js';
import { classify } from './failures.js';
import { Listener, type Listening, type NotificationHandler } from './listen.js';
import { type DatabaseOptions, type TransactionOptions, withSessions } from './options.js';
import { plainIdentifier } from './plain-identifier.js';
import { beginStatement, clientConfig, patience, setUpSession } from './session.js';
import { nameOfStatement, type Statement, textOf } from './statement-name.js';

/** Runs statements: the database itself, or a transaction of it. */
export interface Queryable {
  /** True if statements may be sent before the previous ones are answered; they run in order all the same. */
  readonly isPipelined?: boolean;
  /** @throws DependencyUnavailable if the server cannot be reached or did not answer in time */
  query<Row extends object = Record<string, unknown>>(
    statement: Statement,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/** Statements between a begin and a commit. */
export interface Transaction extends Queryable {
  /** Runs `copy … from stdin` with rows in Postgres' text format. */
  copyIn(statement: string, rows: Buffer): Promise<void>;
}

/** The pool of one process. Every call has a deadline; nothing is retried here. */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #options: DatabaseOptions;
  readonly #listener: Listener;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#listener = new Listener(clientConfig(withSessions(options)), options.logger);
    const { poolSize = 10, connectTimeoutMs = 3000, logger } = options;
    this.#pool = new pg.Pool({
      ...clientConfig(options),
      // The driver awaits it, although its type does not say so; if it fails, so does the connection.
      onConnect: (client) => setUpSession(client, options) as never,
      max: poolSize,
      connectionTimeoutMillis: connectTimeoutMs,
      idleTimeoutMillis: 60_000,
    });
    // An idle connection that breaks is replaced; without a handler it would end the process.
    this.#pool.on('error', (error) => {
      logger.warn({ err: error }, 'an idle Postgres connection broke');
    });
  }

  async query<Row extends object = Record<string, unknown>>(
    statement: Statement,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const client = await this.#connect();
    return this.#released(client, () =>
      this.#isPooled
        ? runAlone<Row>(client, beginStatement({}, this.#options), [textOf(statement), values])
        : run<Row>(client, statement, values),
    );
  }

  /**
   * Runs `work` between begin and commit, and rolls back if it throws. A commit whose answer is lost is
   * DependencyUnavailable: its outcome is unknown.
   */
  async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const client = await this.#connect();
    return this.#released(client, async () => {
      try {
        await run(client, beginStatement(options, this.#options), []);
        const result = await work({
          isPipelined: this.#options.isPipelined === true,
          query: (statement, values = []) => {
            const runnable = this.#isPooled ? textOf(statement) : statement;
            return run(client, runnable, values, options.statementTimeoutMs);
          },
          copyIn: (statement, rows) => copyIn(client, statement, rows),
        });
        await commit(client);
        return result;
      } catch (error) {
        if (!(error instanceof DependencyUnavailable)) await run(client, 'rollback', []);
        throw error;
      }
    });
  }

  /**
   * Calls the handler with the payload of each notification of the channel. It calls it with `undefined` whenever some
   * may have been missed: at the start and after each reconnection. Resolves after the first LISTEN, and reconnects by
   * itself from then on. One connection outside the pool, and outside a pooler, serves all listeners.
   */
  listen(channel: string, handler: NotificationHandler): Promise<Listening> {
    return this.#listener.listen(channel, handler);
  }

  /**
   * Copies tables into another database that has them: from one snapshot here, all of them or none there, and as
   * streams. No trigger fires there, as when a backup is restored, which only a superuser may request.
   * @param tables with their schema, as plain names joined by a dot
   */
  async copyTables(
    target: Database,
    tables: readonly string[],
    onTable?: (table: string) => void,
  ): Promise<void> {
    const statementTimeoutMs = copyTimeoutMs;
    const [source, sink] = [
      withSessions({ ...this.#options, statementTimeoutMs }),
      withSessions({ ...target.#options, statementTimeoutMs }),
    ];
    const [from, to] = [copyingClient(source), copyingClient(sink)];
    try {
      await Promise.all([from.connect(), to.connect()]);
      await Promise.all([setUpSession(from, source), setUpSession(to, sink)]);
      await copyAll({ from, to }, tables, onTable);
    } catch (error) {
      throw classify(error);
    } finally {
      await Promise.allSettled([from.end(), to.end()]);
    }
  }

  /** Opens another pool on the same server, with these options instead of this one's; the caller closes it. */
  beside(options: Partial<DatabaseOptions>): Database {
    return new Database({ ...this.#options, ...options });
  }

  /**
   * As `beside`, for work that needs sessions of the server: a lock, a setting or a temporary table that outlives its
   * transaction.
   */
  withSessions(options: Partial<DatabaseOptions>): Database {
    return new Database(withSessions({ ...this.#options, ...options }));
  }

  /** Waits for the statements in flight; later calls are refused. */
  async close(): Promise<void> {
    await this.#listener.close();
    if (!this.#pool.ending) await this.#pool.end();
  }

  /** Then each transaction may get another session, so no statement may be prepared in one. */
  get #isPooled(): boolean {
    return this.#options.directUrl !== undefined;
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= (this.#options.maxWaiting ?? 1000))
      throw new DependencyUnavailable('postgres', 'too many callers wait for a connection');
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw classify(error);
    }
  }

  /** If a call fails for another reason than its statement, its connection is not used again. */
  async #released<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
    let broken = false;
    const onError = (): void => {
      broken = true;
    };
    client.on('error', onError);
    try {
      return await work();
    } catch (error) {
      broken ||= error instanceof DependencyUnavailable;
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }
}

async function run<Row extends object>(
  client: pg.ClientBase,
  statement: Statement,
  values: readonly unknown[],
  statementTimeoutMs?: number,
): Promise<Row[]> {
  try {
    const config = typeof statement === 'string' ? { text: statement } : { ...statement };
    crashPoints?.pass('postgres', nameOfStatement(statement), 'before');
    const result = await client.query<Row>({
      ...config,
      values: [...values],
      ...(statementTimeoutMs === undefined ? {} : { query_timeout: patience(statementTimeoutMs) }),
    });
    crashPoints?.pass('postgres', nameOfStatement(statement), 'after');
    return result.rows;
  } catch (error) {
    throw classify(error);
  }
}

/** Runs a statement in a transaction of its own, in one round trip. */
async function runAlone<Row extends object>(
  client: pg.ClientBase,
  begin: string,
  [text, values]: readonly [string, readonly unknown[]],
): Promise<Row[]> {
  const sent = [run(client, begin, []), run<Row>(client, text, values), commit(client)] as const;
  // The connection is free once all three are answered. The first failure is the reason for the others.
  await Promise.allSettled(sent);
  const [, rows] = await Promise.all(sent);
  return rows;
}

async function copyIn(client: pg.ClientBase, statement: string, rows: Buffer): Promise<void> {
  try {
    await copyRows(client, statement, rows);
  } catch (error) {
    throw classify(error);
  }
}

/** Timeout for copying one table, of at most a hundred million rows. */
const copyTimeoutMs = 24 * 3_600_000;

/** The end of a stream does not end the driver's own timer of a statement, so only the server's timeout applies. */
function copyingClient(options: DatabaseOptions): pg.Client {
  const { query_timeout: _, ...config } = clientConfig(options);
  const client = new pg.Client(config);
  // The caller that waits for a statement gets the error as well.
  client.on('error', () => undefined);
  return client;
}

async function copyAll(
  { from, to }: { readonly from: pg.ClientBase; readonly to: pg.ClientBase },
  tables: readonly string[],
  onTable?: (table: string) => void,
): Promise<void> {
  await run(from, 'begin isolation level repeatable read read only', []);
  await run(to, 'begin; set local session_replication_role = replica', []);
  for (const table of tables) {
    const name = table.split('.').map(plainIdentifier).join('.');
    onTable?.(table);
    await run(to, `truncate ${name}`, []);
    const rows = from.query(copyTo(`copy ${name} to stdout`));
    await pipeline(rows, to.query(copyFrom(`copy ${name} from stdin`)));
  }
  await commit(to);
}

/** Postgres answers a commit with "rollback" if a statement of the transaction had failed. */
async function commit(client: pg.ClientBase): Promise<void> {
  let command: string;
  try {
    crashPoints?.pass('postgres', 'commit', 'before');
    ({ command } = await client.query('commit'));
    crashPoints?.pass('postgres', 'commit', 'after');
  } catch (error) {
    throw classify(error);
  }
  if (command !== 'COMMIT')
    throw new Error('the transaction was rolled back: a statement in it had failed');
}

/**
 * The pool for lists and balances, on a replica if there is one (DATABASE_READ_URL). It is separate from the pool for
 * money, so that slow lists, however many, leave that one its connections.
 */
export class ReadDatabase extends Database {}
