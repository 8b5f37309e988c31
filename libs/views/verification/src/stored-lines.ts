import { type Queryable } from '#infra/postgres';

/** The separator between the fields of a line, and the text for null: control characters that no value contains. */
export const fieldEnd = '\u001f';
const nothing = '\u001d';

/** SQL of a line: the compared columns of a row as one text, since the driver reads one text per row fastest. */
export function lineOf(expressions: readonly string[]): string {
  const fields = expressions.map((sql) => `coalesce((${sql})::text, E'\\x1d')`);
  return `concat_ws(E'\\x1f', ${fields.join(', ')}) as line`;
}

/** SQL of an instant as events write it. */
export function instantOf(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

export function field(value: string | null): string {
  return value ?? nothing;
}

export function fieldsOf(line: string): (string | null)[] {
  return line.split(fieldEnd).map((text) => (text === nothing ? null : text));
}

const pageLines = 2000;

/** A key before all positions. */
export const beforeAllPositions = (-(2n ** 63n)).toString();

/** Lines in the order of a key, which consists of their first fields. */
export interface Lines {
  /** Yields one column, `line`. The first parameters are the key after which a page begins, then come the values. */
  readonly select: string;
  /** The key after which the first page begins. */
  readonly after: readonly string[];
  readonly values?: readonly unknown[];
}

/**
 * The lines of a statement, each page in a snapshot of its own. The next page is fetched while this one is compared, so
 * that Postgres works in parallel with this process.
 */
export class StoredLines {
  #page: readonly string[] = [];
  #index = 0;
  #after: readonly string[];
  #next: Promise<readonly string[]>;
  #ended = false;

  constructor(
    private readonly database: Queryable,
    private readonly lines: Lines,
  ) {
    this.#after = lines.after;
    this.#next = this.#fetch();
  }

  /** The next line, if it is in memory; undefined at the end, and if a page is used up. */
  get atHand(): string | undefined {
    return this.#page[this.#index];
  }

  /** The next line; undefined at the end. */
  async peek(): Promise<string | undefined> {
    if (this.#index >= this.#page.length && !this.#ended) await this.#turnPage();
    return this.atHand;
  }

  advance(): void {
    this.#index += 1;
  }

  /** The lines that are left, beginning with the next one. */
  async *rest(): AsyncGenerator<string, void, void> {
    for (let line = await this.peek(); line !== undefined; line = await this.peek()) {
      yield line;
      this.advance();
    }
  }

  async #turnPage(): Promise<void> {
    this.#page = await this.#next;
    this.#index = 0;
    const last = this.#page.at(-1);
    this.#ended = last === undefined || this.#page.length < pageLines;
    if (last === undefined || this.#ended) return;
    this.#after = last.split(fieldEnd, this.#after.length);
    this.#next = this.#fetch();
  }

  #fetch(): Promise<readonly string[]> {
    const { select, values = [] } = this.lines;
    const page = this.database
      .query<{ line: string }>(`${select} limit ${pageLines}`, [...this.#after, ...values])
      .then((rows) => rows.map(({ line }) => line));
    // The reader of the page gets the error. If something else failed first, the page may never be read.
    page.catch(() => undefined);
    return page;
  }
}
