import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A network link between the service and one of its servers, which a test can degrade and repair. */
export class FaultyLink {
  private readonly pairs = new Set<Pair>();
  private delayMs = 0;
  private losesAnswers = false;

  private constructor(
    private readonly server: Server,
    private target: { readonly host: string; readonly port: number },
  ) {
    server.on('connection', (client) => {
      this.join(client);
    });
  }

  /** @param url URL of the server, with its port */
  static async to(url: string): Promise<FaultyLink> {
    const { hostname, port } = new URL(url);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyLink(server, { host: hostname, port: Number(port) });
  }

  /** The same URL, through this link. */
  through(url: string): string {
    const { port } = this.server.address() as { port: number };
    return url.replace(/:\d+(?=[/?]|$)/, `:${port}`);
  }

  /** Delays each piece of a request and of an answer by this time. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Requests arrive and take effect, but their answers do not come. */
  loseAnswers(): void {
    this.losesAnswers = true;
  }

  /** Lost answers stay lost: those connections are closed, so that both sides begin again. */
  heal(): void {
    this.delayMs = 0;
    if (!this.losesAnswers) return;
    this.losesAnswers = false;
    for (const pair of this.pairs) pair.cut();
  }

  /** Leads to another server from now on, as an address that moves does, and ends the connections to the former one. */
  turnTo(url: string): void {
    const { hostname, port } = new URL(url);
    this.target = { host: hostname, port: Number(port) };
    for (const pair of this.pairs) pair.cut();
  }

  async close(): Promise<void> {
    for (const pair of this.pairs) pair.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    const server = connect(this.target);
    const pair = new Pair(client, server, () => {
      this.pairs.delete(pair);
    });
    this.pairs.add(pair);
    const [there, back] = [new Delayed(server), new Delayed(client)];
    client.on('data', (bytes) => {
      there.write(bytes, this.delayMs);
    });
    server.on('data', (bytes) => {
      if (!this.losesAnswers) back.write(bytes, this.delayMs);
    });
  }
}

/** Two sockets that end together. */
class Pair {
  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    onEnd: () => void,
  ) {
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.cut();
        onEnd();
      });
    }
  }

  cut(): void {
    this.client.destroy();
    this.server.destroy();
  }
}

/** Writes in order, each piece at least its delay later. */
class Delayed {
  private readonly queue: { readonly bytes: Buffer; readonly dueAt: number }[] = [];
  private isWaiting = false;

  constructor(private readonly socket: Socket) {}

  write(bytes: Buffer, delayMs: number): void {
    this.queue.push({ bytes, dueAt: performance.now() + delayMs });
    this.drain();
  }

  private drain(): void {
    if (this.isWaiting) return;
    for (let next = this.queue[0]; next; next = this.queue[0]) {
      const waitMs = next.dueAt - performance.now();
      if (waitMs > 0) {
        this.isWaiting = true;
        setTimeout(() => {
          this.isWaiting = false;
          this.drain();
        }, waitMs);
        return;
      }
      this.queue.shift();
      this.socket.write(next.bytes);
    }
  }
}
