import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { DependencyUnavailable } from '#domain/kernel';
import { crashPoints, type Logger } from '#infra/runtime';
import { copyRows } from './copy-rows.js';
import { classify } from './failures.js';
import { Listener, type Listening, type NotificationHandler } from './listen.js';
import { nameOfStatement, type Statement } from './statement-name.js';

/** Types of pg's catalogue whose values the driver would otherwise return as text, or in local time. */
const int8 = 20;
const int8Array = 1016;
const date = 1082;

type Parser = (text: string) => unknown;

const parsers = new Map<number, Parser>([
  [int8, BigInt],
  [
    int8Array,
    (text) =>
      text === '{}'
        ? []
        : text
            .slice(1, -1)
            .split(',')
            .map((item) => (item === 'NULL' ? null : BigInt(item))),
  ],
  // The driver makes it a Date at local midnight, which is another day elsewhere.
  [date, (text) => text],
]);

/** int8 is bigint, numeric and date stay text, timestamptz is Date, bytea is Buffer, json is parsed. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text') =>
    parsers.get(oid) ?? (pg.types.getTypeParser(oid, format) as Parser)) as never,
};

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

export interface DatabaseOptions {
  readonly url: string;
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

export interface TransactionOptions {
  readonly isolation?: 'read committed' | 'repeatable read' | 'serializable';
  readonly readOnly?: boolean;
  /** Timeout in this transaction; if absent, the connection's own. */
  readonly statementTimeoutMs?: number;
}

/** A frozen holder of an open transaction is disconnected after this, so that its locks block no other. */
const defaultIdleInTransactionMs = 5000;

/** The pool of one process. Every call has a deadline; nothing is retried here. */
export class Database implements Queryable {
  readonly #pool: pg.Pool;
  readonly #options: DatabaseOptions;
  readonly #listener: Listener;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#listener = new Listener(clientConfig(options), options.logger);
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
    return this.#released(client, () => run<Row>(client, statement, values));
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
      await run(client, beginStatement(options), []);
      try {
        const result = await work({
          isPipelined: this.#options.isPipelined === true,
          query: (statement, values = []) =>
            run(client, statement, values, options.statementTimeoutMs),
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
   * itself from then on. One connection outside the pool serves all listeners.
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
      { ...this.#options, statementTimeoutMs },
      { ...target.#options, statementTimeoutMs },
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

  /** Waits for the statements in flight; later calls are refused. */
  async close(): Promise<void> {
    await this.#listener.close();
    if (!this.#pool.ending) await this.#pool.end();
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

function beginStatement(options: TransactionOptions): string {
  const { isolation, readOnly, statementTimeoutMs } = options;
  const begin = [
    'begin',
    ...(isolation ? [`isolation level ${isolation}`] : []),
    ...(readOnly ? ['read only'] : []),
  ].join(' ');
  return [
    begin,
    ...(statementTimeoutMs === undefined
      ? []
      : [`set local statement_timeout = ${Math.ceil(statementTimeoutMs)}`]),
  ].join('; ');
}

/** The client's timeout, for a server that does not answer at all: a little longer than the server's own. */
function patience(statementTimeoutMs: number): number {
  return statementTimeoutMs + 2000;
}

const defaultStatementTimeoutMs = 5000;
const defaultConnectTimeoutMs = 3000;

function clientConfig(options: DatabaseOptions): pg.ClientConfig {
  return {
    connectionString: options.url,
    application_name: `pesapost-${options.app}`,
    types: typeParsers,
    keepAlive: true,
    ...(options.isPipelined && { pipeline: true }),
    connectionTimeoutMillis: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
    query_timeout: patience(options.statementTimeoutMs ?? defaultStatementTimeoutMs),
  };
}

/**
 * Sets a session's settings by a statement. If they were in a connection's first message, a pooler would refuse or
 * forget those that it does not know, and `options` of the URL would replace ours.
 */
async function setUpSession(client: pg.ClientBase, options: DatabaseOptions): Promise<void> {
  const { searchPath, clockOffsetMs = 0, statementTimeoutMs, connectTimeoutMs } = options;
  const settings: Readonly<Record<string, number | string>> = {
    'pesapost.clock_offset_ms': clockOffsetMs,
    statement_timeout: statementTimeoutMs ?? defaultStatementTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? defaultIdleInTransactionMs,
    ...(searchPath && { search_path: searchPath.map(plainIdentifier).join(',') }),
  };
  await client.query({
    text: 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as of (name, value)',
    values: [Object.keys(settings), Object.values(settings).map(String)],
    query_timeout: connectTimeoutMs ?? defaultConnectTimeoutMs,
  } as pg.QueryConfig);
}

/**
 * The pool for lists and balances, on a replica if there is one (DATABASE_READ_URL). It is separate from the pool for
 * money, so that slow lists, however many, leave that one its connections.
 */
export class ReadDatabase extends Database {}

/** Checks that a name needs no quoting, so that it can be part of a statement or a connection option. */
export function plainIdentifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new RangeError(`not a plain name: ${name}`);
  return name;
}
