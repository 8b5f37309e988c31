import pg from 'pg';

/** Types of the messages that carry rows, by the protocol's letters; a length counts itself. */
const [copyData, copyDone] = [0x64, 0x63];
const lengthBytes = 4;
const copyDoneMessage = Buffer.from([copyDone, 0, 0, 0, lengthBytes]);

/**
 * Runs `copy … from stdin`. The rows follow the statement at once, without waiting until Postgres asks for them, so it
 * can be pipelined. Postgres skips the rows of a refused statement.
 * @param rows in the text format
 * @throws Postgres's errors
 */
export function copyRows(client: pg.ClientBase, statement: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined): void => {
      if (error) reject(error);
      else resolve();
    };
    client.query(new Copy(statement, rows, done));
  });
}

/** If statements are pipelined, the driver accepts only its own kind of query. */
class Copy extends pg.Query {
  readonly #statement: string;
  readonly #rows: Buffer;

  constructor(statement: string, rows: Buffer, done: (error: Error | undefined) => void) {
    super(statement, done);
    this.#statement = statement;
    this.#rows = rows;
  }

  override submit = (connection: pg.Connection): void => {
    const head = Buffer.allocUnsafe(1 + lengthBytes);
    head[0] = copyData;
    head.writeUInt32BE(this.#rows.length + lengthBytes, 1);
    const { stream } = connection;
    stream.cork();
    connection.query(this.#statement);
    for (const part of [head, this.#rows, copyDoneMessage]) stream.write(part);
    process.nextTick(() => {
      stream.uncork();
    });
  };

  /** Does nothing: the rows are on their way. */
  handleCopyInResponse(): void {
    // The base class ends the copy here.
  }
}
