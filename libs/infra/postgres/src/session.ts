import pg from 'pg';
import { type DatabaseOptions, type TransactionOptions } from './options.js';
import { plainIdentifier } from './plain-identifier.js';

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

/** The client's timeout, for a server that does not answer at all: a little longer than the server's own. */
export function patience(statementTimeoutMs: number): number {
  return statementTimeoutMs + 2000;
}

const defaultStatementTimeoutMs = 5000;
const defaultConnectTimeoutMs = 3000;
/** A frozen holder of an open transaction is disconnected after this, so that its locks block no other. */
const defaultIdleInTransactionMs = 5000;

/** Behind a pooler, a statement is sent together with the begin and the commit of its transaction. */
export function clientConfig(options: DatabaseOptions): pg.ClientConfig {
  const isPipelined = options.isPipelined === true || options.directUrl !== undefined;
  return {
    connectionString: options.url,
    application_name: `pesapost-${options.app}`,
    types: typeParsers,
    keepAlive: true,
    ...(isPipelined && { pipeline: true }),
    connectionTimeoutMillis: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
    query_timeout: patience(options.statementTimeoutMs ?? defaultStatementTimeoutMs),
  };
}

/** Settings that our statements rely on. Numbers and plain names need no quotes in SQL. */
function settingsOf(options: DatabaseOptions): Readonly<Record<string, number | string>> {
  const { searchPath, clockOffsetMs = 0, statementTimeoutMs, idleInTransactionMs } = options;
  return {
    'pesapost.clock_offset_ms': clockOffsetMs,
    statement_timeout: statementTimeoutMs ?? defaultStatementTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionMs ?? defaultIdleInTransactionMs,
    ...(searchPath && { search_path: searchPath.map(plainIdentifier).join(',') }),
  };
}

/**
 * Sets a session's settings by a statement. If they were in a connection's first message, a pooler would refuse or
 * forget those that it does not know, and `options` of the URL would replace ours. If a pooler gives each transaction
 * another session, nothing is set: other clients would get it.
 */
export async function setUpSession(client: pg.ClientBase, options: DatabaseOptions): Promise<void> {
  if (options.directUrl !== undefined) return;
  const settings = settingsOf(options);
  await client.query({
    text: 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as of (name, value)',
    values: [Object.keys(settings), Object.values(settings).map(String)],
    query_timeout: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
  } as pg.QueryConfig);
}

/** Begins a transaction, with the settings that it does not have from its session. */
export function beginStatement(options: TransactionOptions, pool: DatabaseOptions): string {
  const { isolation, readOnly, statementTimeoutMs } = options;
  const begin = [
    'begin',
    ...(isolation ? [`isolation level ${isolation}`] : []),
    ...(readOnly ? ['read only'] : []),
  ].join(' ');
  const settings: Readonly<Record<string, number | string>> = {
    ...(pool.directUrl !== undefined && settingsOf(pool)),
    ...(statementTimeoutMs !== undefined && { statement_timeout: Math.ceil(statementTimeoutMs) }),
  };
  const local = Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`);
  return [begin, ...local].join('; ');
}
