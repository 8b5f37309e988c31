import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Receives webhooks of many endpoints, one path each, and records when each webhook first arrived. */
export class WebhookReceiver {
  readonly cameAt = new Map<string, number>();
  /** For this path, milliseconds from the ledger's event to its webhook. */
  readonly sinceEvent: number[] = [];
  readonly timedPath = '/timed';
  /** Paths that never answer. */
  readonly hanging = new Set<string>();
  readonly #left: ServerResponse[] = [];
  readonly #server = createServer((request, response) => {
    const id = request.headers['pesapost-event-id'];
    const { url: path = '' } = request;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => {
      if (path === this.timedPath) chunks.push(chunk);
    });
    request.on('end', () => {
      if (chunks.length > 0) this.sinceEvent.push(Date.now() - createdAt(chunks));
      if (typeof id === 'string' && !this.cameAt.has(id)) this.cameAt.set(id, performance.now());
      if (this.hanging.has(path)) this.#left.push(response);
      else response.end();
    });
  });

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function createdAt(chunks: readonly Buffer[]): number {
  const body = JSON.parse(Buffer.concat(chunks).toString()) as { created_at: string };
  return Date.parse(body.created_at);
}
