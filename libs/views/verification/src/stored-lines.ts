import { type Queryable } from '#infra/postgres';

/** Between the fields of a line, and in place of a null: control characters that no value of ours holds. */
export const fieldEnd = '\u001f';
const nothing = '\u001d';

/** SQL of a line: what is compared of a row, as one text, since one text a row is what the driver reads fastest. */
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

/** Before the first of all positions, where positions are a key. */
export const beforeAllPositions = (-(2n ** 63n)).toString();

/** Lines in the order of a key, which is their first fields. */
export interface Lines {
  /** Yields one column, `line`; `$1` and so on are the key behind which a page begins, then the values. */
  readonly select: string;
  /** The key behind which the first page begins. */
  readonly after: readonly string[];
  readonly values?: readonly unknown[];
}

/**
 * The lines of a statement, each page in a snapshot of its own; the next page is fetched while this one is compared,
 * so that Postgres works beside us and not in turn with us.
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

  /** The next line, where it needs no waiting for; undefined at the end, and where a page is used up. */
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

  /** The lines that are left, from the one at hand on. */
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
    // Whoever turns the page meets the error; nobody may, where something else failed first.
    page.catch(() => undefined);
    return page;
  }
}
