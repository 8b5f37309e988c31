import { createConnection, type Socket } from 'node:net';

const headersEnd = Buffer.from('\r\n\r\n');
/** Longer than the longest answer that the service allows itself (COL-24). */
const answerDeadlineMs = 30_000;

/**
 * A kept-alive HTTP/1.1 connection with one request on it at a time. It reads only an answer's status and length,
 * because the processor's time belongs to the service that is measured.
 */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #missing = -1;
  #status = 0;
  #answered: ((status: number) => void) | undefined;

  constructor(port: number) {
    this.#socket = createConnection({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.setTimeout(answerDeadlineMs, () => this.#socket.destroy());
    this.#socket.on('data', (bytes: Buffer) => {
      this.#receive(bytes);
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.#settle(0);
    });
  }

  get usable(): boolean {
    return !this.#socket.destroyed;
  }

  /** @returns the answer's status; 0 if the connection broke or nothing arrived in time */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      if (this.usable) this.#socket.write(request);
      else this.#settle(0);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#missing >= 0) {
      this.#missing -= bytes.length;
    } else {
      this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
      const end = this.#received.indexOf(headersEnd);
      if (end < 0) return;
      const head = this.#received.toString('latin1', 0, end);
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined) {
        this.#socket.destroy(new Error('an answer without a length'));
        return;
      }
      this.#status = Number(head.slice(9, 12));
      this.#missing = Number(length) - (this.#received.length - end - headersEnd.length);
    }
    if (this.#missing > 0) return;
    this.#received = Buffer.alloc(0);
    this.#missing = -1;
    this.#settle(this.#status);
  }

  #settle(status: number): void {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(status);
  }
}
