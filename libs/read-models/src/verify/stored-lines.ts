import { plainIdentifier, type Queryable } from '#postgres';

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

/**
 * The lines of a statement, a page at a time by a cursor of the transaction; the next page is fetched while this
 * one is compared, so that Postgres works beside us and not in turn with us.
 */
export class StoredLines {
  #page: readonly string[] = [];
  #index = 0;
  #next: Promise<readonly string[]>;
  #ended = false;

  private constructor(
    private readonly transaction: Queryable,
    private readonly cursor: string,
  ) {
    this.#next = this.#fetch();
  }

  /** @param select yields one column, `line` */
  static async open(transaction: Queryable, name: string, select: string): Promise<StoredLines> {
    const cursor = plainIdentifier(`verify_${name}`);
    await transaction.query(`declare ${cursor} no scroll cursor for ${select}`);
    return new StoredLines(transaction, cursor);
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
    this.#ended = this.#page.length < pageLines;
    if (!this.#ended) this.#next = this.#fetch();
  }

  #fetch(): Promise<readonly string[]> {
    const page = this.transaction
      .query<{ line: string }>(`fetch ${pageLines} from ${this.cursor}`)
      .then((rows) => rows.map(({ line }) => line));
    // Whoever turns the page meets the error; nobody may, where something else failed first.
    page.catch(() => undefined);
    return page;
  }
}
