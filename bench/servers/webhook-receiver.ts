import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Takes webhooks of many endpoints, a path each, and notes when each webhook came first. */
export class WebhookReceiver {
  readonly cameAt = new Map<string, number>();
  /** Of this path, milliseconds from the ledger's event to the webhook that tells it. */
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
