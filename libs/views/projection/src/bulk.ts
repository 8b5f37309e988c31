import { setImmediate as turn } from 'node:timers/promises';
import { plainIdentifier, type Queryable, type Transaction } from '#infra/postgres';
import { Recordset } from '#views/view-set';

/** Postgres reads fewer rows as quickly from a parameter. */
const defaultMinRows = 50;

/** The way in which a statement's rows are copied. */
type Plan =
  | { readonly kind: 'append'; readonly table: string }
  | {
      readonly kind: 'staged';
      /** The table whose columns the rows have, or the columns themselves. */
      readonly like: string | readonly Column[];
      /** Returns the statement that reads them from this table. */
      readonly textFrom: (table: string) => string;
    };

interface Column {
  readonly name: string;
  readonly type: string;
}

const populated = /json_populate_recordset\(null::(\w+), \$1\)/;
const appended =
  /^\s*insert into (\w+) select \* from json_populate_recordset\(null::\1, \$1\)\s*$/;
const recorded = 'json_to_recordset($1) as told (';

/** The plan of a statement that reads its rows from its only parameter; undefined for any other statement. */
function planOf(text: string): Plan | undefined {
  if (text.includes('$2')) return undefined;
  const append = appended.exec(text)?.[1];
  if (append !== undefined) return { kind: 'append', table: append };
  const like = populated.exec(text)?.[1];
  if (like !== undefined)
    return { kind: 'staged', like, textFrom: (table) => text.replace(populated, table) };
  const begin = text.indexOf(recorded);
  if (begin < 0) return undefined;
  const list = inParentheses(text.slice(begin + recorded.length));
  const end = begin + recorded.length + list.length + 1;
  return {
    kind: 'staged',
    like: columnsIn(list),
    textFrom: (table) => `${text.slice(0, begin)}${table} as told${text.slice(end)}`,
  };
}

/** Returns the text up to the closing parenthesis. */
function inParentheses(text: string): string {
  let depth = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(0, at);
  }
  throw new TypeError('a parenthesis is not closed');
}

function columnsIn(list: string): readonly Column[] {
  return list.split(/,(?![^(]*\))/).map((definition) => {
    const [name = '', ...type] = definition.trim().split(/\s+/);
    return { name, type: type.join(' ') };
  });
}

const selectColumns = `
  select attname::text as name from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;

/** A cache of the set's tables and of the projection's statements, for as long as a set is being built. */
export class BulkPlans {
  readonly #plans = new Map<string, Plan | undefined>();
  readonly #columns = new Map<string, Promise<readonly string[]>>();

  /** @param minRows with fewer rows, the statement's parameter is used */
  constructor(readonly minRows = defaultMinRows) {}

  of(text: string): Plan | undefined {
    if (!this.#plans.has(text)) this.#plans.set(text, planOf(text));
    return this.#plans.get(text);
  }

  columnsOf(database: Queryable, table: string): Promise<readonly string[]> {
    const known = this.#columns.get(table);
    if (known) return known;
    const columns = database
      .query<{ name: string }>(selectColumns, [table])
      .then((rows) => rows.map(({ name }) => name));
    this.#columns.set(table, columns);
    return columns;
  }
}

/** A statement with everything that it needs to run later. */
export type Prepared =
  | { readonly kind: 'copy'; readonly statement: string; readonly rows: Buffer }
  | {
      readonly kind: 'query';
      readonly statement: Parameters<Queryable['query']>[0];
      readonly values: readonly unknown[];
    };

/**
 * Collects the projection's statements to run later, with their rows ready for COPY: parsing rows as JSON is the
 * largest cost in Postgres. A statement that only appends becomes the COPY itself. Any other reads from a temporary
 * table instead of its parameter. No statement returns rows.
 */
export class PreparedWrites implements Queryable {
  readonly statements: Prepared[] = [];

  /** @param database from which the tables' columns are read */
  constructor(
    private readonly database: Queryable,
    private readonly plans: BulkPlans,
  ) {}

  async query<Row extends object>(
    statement: Parameters<Queryable['query']>[0],
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const [rows] = values;
    const isMany = rows instanceof Recordset && rows.rows.length >= this.plans.minRows;
    const { name, text } =
      typeof statement === 'string' ? { name: undefined, text: statement } : statement;
    const plan = isMany ? this.plans.of(text) : undefined;
    if (!isMany || !plan || name === undefined) this.#query(statement, values);
    else if (plan.kind === 'append')
      await this.#copy(plan.table, rows, await this.#columnsOf(plan.table));
    else {
      const table = plainIdentifier(`rows_of_${name.replaceAll('-', '_')}`);
      await this.#stage(table, plan.like, rows);
      this.#query({ name: `${name}-staged`, text: plan.textFrom(table) });
    }
    return [];
  }

  async #stage(table: string, like: string | readonly Column[], rows: Recordset): Promise<void> {
    const definition =
      typeof like === 'string'
        ? `as select * from ${plainIdentifier(like)} with no data`
        : `(${like.map(({ name, type }) => `${name} ${type}`).join(', ')})`;
    this.#query(`create temp table if not exists ${table} ${definition}`);
    this.#query(`truncate ${table}`);
    const all =
      typeof like === 'string' ? await this.#columnsOf(like) : like.map(({ name }) => name);
    await this.#copy(table, rows, all);
  }

  #columnsOf(table: string): Promise<readonly string[]> {
    return this.plans.columnsOf(this.database, table);
  }

  #query(statement: Parameters<Queryable['query']>[0], values: readonly unknown[] = []): void {
    this.statements.push({ kind: 'query', statement, values });
  }

  async #copy(table: string, { rows, columns }: Recordset, all: readonly string[]): Promise<void> {
    // Let the previous batch be written, and the log be read, meanwhile.
    await turn();
    const copied = columns ?? all;
    const statement = `copy ${plainIdentifier(table)} (${copied.join(', ')}) from stdin`;
    this.statements.push({ kind: 'copy', statement, rows: Buffer.from(copyText(rows, copied)) });
  }
}

/** Runs the prepared statements in order, one after the other. @returns a promise for each */
export function sendPrepared(
  transaction: Transaction,
  statements: readonly Prepared[],
): readonly Promise<unknown>[] {
  return statements.map((prepared) =>
    prepared.kind === 'copy'
      ? transaction.copyIn(prepared.statement, prepared.rows)
      : transaction.query(prepared.statement, prepared.values),
  );
}

/** Rows in Postgres' text format. */
export function copyText(rows: readonly object[], columns: readonly string[]): string {
  const [first = '', ...others] = columns;
  let text = '';
  for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
    text += fieldOf(row[first]);
    for (const column of others) text += `\t${fieldOf(row[column])}`;
    text += '\n';
  }
  return text;
}

const special = /[\\\n\r\t]/;
const bytes = /^\\x[0-9a-f]*$/;
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (typeof value === 'string') return special.test(value) ? escaped(value) : value;
  if (Array.isArray(value)) return escaped(arrayOf(value));
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new TypeError('a row holds what cannot be copied');
}

function escaped(text: string): string {
  return bytes.test(text)
    ? `\\${text}`
    : text.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character] ?? character);
}

/** Formats an array of texts as Postgres writes it. */
function arrayOf(values: readonly unknown[]): string {
  return `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
