import { type Writable } from 'node:stream';
import { type DestinationStream } from 'pino';

/** What may wait for a collector that does not read: some ten thousand lines. */
const maxWaitingBytes = 4 * 1024 * 1024;

export interface LogDestinationOptions {
  /** The process's own stdout, unless given. Node writes to a pipe without blocking, to a file at once. */
  readonly stream?: Writable;
  readonly maxWaitingBytes?: number;
  /** Told of each line that was dropped. */
  readonly onDrop?: () => void;
}

/**
 * Where log lines go. Whoever reads them may stop: the process then goes on, keeps what still fits into its bound and
 * drops the rest, and says so in a line of its own as soon as it can. A reader that is gone for ever ends nothing.
 */
export class LogDestination implements DestinationStream {
  readonly #stream: Writable;
  readonly #maxWaitingBytes: number;
  readonly #onDrop: () => void;
  #dropped = 0;

  constructor(options: LogDestinationOptions = {}) {
    this.#stream = options.stream ?? process.stdout;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? maxWaitingBytes;
    this.#onDrop = options.onDrop ?? (() => undefined);
    // EPIPE and the like: without a listener they would end the process. What was written then counts as dropped.
    this.#stream.on('error', () => undefined);
  }

  write(line: string): void {
    if (this.#stream.writableLength + line.length > this.#maxWaitingBytes) {
      this.#drop();
      return;
    }
    if (this.#dropped > 0) this.#tellDropped();
    this.#stream.write(line, this.#written);
  }

  readonly #written = (error: Error | null | undefined): void => {
    if (error) this.#drop();
  };

  #drop(): void {
    this.#dropped += 1;
    this.#onDrop();
  }

  /** Calls back when all that was taken is written, or can no longer be; at once where nothing waits. */
  flush(done: () => void): void {
    if (this.#stream.destroyed || this.#stream.writableLength === 0) done();
    else this.#stream.write('', done);
  }

  #tellDropped(): void {
    const time = new Date().toISOString();
    const { pid } = process;
    const told = {
      level: 'warn',
      time,
      pid,
      dropped: this.#dropped,
      msg: 'log lines were dropped',
    };
    this.#dropped = 0;
    this.#stream.write(`${JSON.stringify(told)}\n`);
  }
}
