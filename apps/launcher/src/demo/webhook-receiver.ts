import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { decimalFromMinor, writeJson } from '#domain/kernel';
import { type WebhookEvent, webhookReceiver } from '#sdk';

export interface DemoReceiverOptions {
  /** 0 takes a free port. */
  readonly port: number;
  /** Unix time in milliseconds, by the service's clock. */
  readonly now: () => number;
  /** Shows a line to the person at the terminal. */
  readonly say: (line: string) => void;
}

/** A received webhook, as `GET /_received` shows it; only the headers of webhooks are kept. */
interface Received {
  readonly received_at: string;
  readonly verified: boolean;
  /** The reason of a refusal; null if it was accepted. */
  readonly problem: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The received bytes, in UTF-8. */
  readonly body: string;
}

/** The newest webhooks are kept, up to this many and to this many characters in total. */
const maxReceived = 10_000;
const maxCharacters = 16 * 1024 * 1024;
const lookMs = 20;

/**
 * The demo merchant's endpoint. It verifies each webhook, prints it in a line, and lists the received ones at
 * `/_received`.
 */
export class DemoReceiver {
  readonly #options: DemoReceiverOptions;
  readonly #server: Server;
  readonly #received: Received[] = [];
  #characters = 0;
  #secret: string | undefined;
  /** The newest references. */
  readonly #heardOf = new Set<string>();

  private constructor(options: DemoReceiverOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.requestTimeout = 10_000;
  }

  /**
   * Listens on this machine only.
   * @throws if the port is taken
   */
  static async start(options: DemoReceiverOptions): Promise<DemoReceiver> {
    const receiver = new DemoReceiver(options);
    receiver.#server.listen(options.port, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Sets the secret. Until then webhooks get 503, so that they come again. */
  useSecret(secret: string): void {
    this.#secret = secret;
  }

  /** True if a webhook of the item has come, or comes within the time. */
  async hearsOf(reference: string, withinMs: number, signal: AbortSignal): Promise<boolean> {
    const giveUpAt = performance.now() + withinMs;
    while (!this.#heardOf.has(reference)) {
      if (performance.now() > giveUpAt) return false;
      await sleep(lookMs, undefined, { signal });
    }
    return true;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET' && request.url === '/_received')
      response
        .writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
        .end(writeJson({ received: this.#received }));
    else if (request.method !== 'POST') response.writeHead(404).end();
    else if (this.#secret === undefined) response.writeHead(503).end();
    else {
      const status = await this.#take(request, this.#secret);
      // The unread rest of the body must not be read as the next request.
      response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end();
    }
  }

  async #take(request: IncomingMessage, secrets: string): Promise<number> {
    const { say, now } = this.#options;
    const chunks: Uint8Array[] = [];
    const told: { event?: WebhookEvent; problem?: string } = {};
    const receiver = webhookReceiver({
      secrets,
      now,
      onEvent: (event) => (told.event = event),
      onRefused: ({ code }) => (told.problem = code),
      onError: () => undefined,
    });
    const { headers } = request;
    const status = await receiver.status({ headers, body: noted(request, chunks) });
    const { event, problem } = told;
    if (!event && problem === undefined) return status;
    const ours = Object.entries(headers).filter(([name]) => /^(pesapost|webhook)-/.test(name));
    this.#keep({
      received_at: new Date(now()).toISOString(),
      verified: event !== undefined,
      problem: problem ?? null,
      headers: Object.fromEntries(ours.map(([name, value]) => [name, String(value)])),
      body: Buffer.concat(chunks).toString(),
    });
    say(`webhook    ${event ? lineOf(event) : `refused: ${String(problem)}`}`);
    if (event) this.#note(event.data.reference);
    return status;
  }

  #note(reference: string): void {
    this.#heardOf.add(reference);
    const [oldest] = this.#heardOf;
    if (this.#heardOf.size > maxReceived && oldest !== undefined) this.#heardOf.delete(oldest);
  }

  #keep(received: Received): void {
    this.#received.push(received);
    this.#characters += received.body.length;
    while (this.#received.length > maxReceived || this.#characters > maxCharacters)
      this.#characters -= this.#received.shift()?.body.length ?? 0;
  }
}

async function* noted(
  request: IncomingMessage,
  chunks: Uint8Array[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    yield chunk;
  }
}

/** Like `3 collection.completed demo-0a1b2c KES 250.00, verified`. */
function lineOf({ sequence, type, data }: WebhookEvent): string {
  const amount = `${data.currency} ${decimalFromMinor(data.amount_minor)}`;
  return `${sequence} ${type} ${data.reference}, ${amount}, verified`;
}
