import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Takes webhooks of many endpoints, a path each, and notes when each webhook came first. */
export class WebhookReceiver {
  readonly cameAt = new Map<string, number>();
  /** Paths that never answer. */
  readonly hanging = new Set<string>();
  readonly #left: ServerResponse[] = [];
  readonly #server = createServer((request, response) => {
    const id = request.headers['pesapost-event-id'];
    const { url: path = '' } = request;
    request.resume().on('end', () => {
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
