import { backoffMs, type Logger } from '#infra/runtime';
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { classify } from './failures.js';

/** Called with a notification's payload, or with `undefined` if notifications may have been missed. */
export type NotificationHandler = (payload: string | undefined) => void;

export interface Listening {
  close(): Promise<void>;
}

interface Subscriber {
  readonly channel: string;
  readonly handler: NotificationHandler;
}

/** The interval at which an idle connection is checked. */
const heartbeatMs = 5000;

/**
 * The one connection on which a process listens, for all its channels and handlers. It is not a pooled one, which
 * others would use. It exists while there are listeners.
 */
export class Listener {
  readonly #subscribers = new Set<Subscriber>();
  #session: Promise<Session> | undefined;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly logger: Logger,
  ) {}

  /** Resolves after the LISTEN, and reconnects by itself from then on. @throws DependencyUnavailable */
  async listen(channel: string, handler: NotificationHandler): Promise<Listening> {
    const subscriber = { channel, handler };
    this.#subscribers.add(subscriber);
    try {
      this.#session ??= Session.open(this.config, this.logger, this.#subscribers);
      await (await this.#session).listen(channel);
    } catch (error) {
      await this.#leave(subscriber);
      throw classify(error);
    }
    handler(undefined);
    return { close: () => this.#leave(subscriber) };
  }

  /** Ends all listening. */
  async close(): Promise<void> {
    await Promise.all([...this.#subscribers].map((subscriber) => this.#leave(subscriber)));
  }

  async #leave(subscriber: Subscriber): Promise<void> {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    const session = this.#session;
    this.#session = undefined;
    await session?.then(
      (open) => open.close(),
      () => undefined,
    );
  }
}

/** A supervised connection: if it is lost, another takes its place and reports that notifications may have been missed. */
class Session {
  readonly #abort = new AbortController();
  #client: pg.Client;
  #supervised: Promise<void> = Promise.resolve();
  /** The statement under way: a connection runs one at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    client: pg.Client,
    private readonly config: pg.ClientConfig,
    private readonly logger: Logger,
    private readonly subscribers: ReadonlySet<Subscriber>,
  ) {
    this.#client = client;
  }

  static async open(
    config: pg.ClientConfig,
    logger: Logger,
    subscribers: ReadonlySet<Subscriber>,
  ): Promise<Session> {
    const session = new Session(await connect(config, subscribers), config, logger, subscribers);
    session.#supervised = session.#supervise();
    return session;
  }

  async listen(channel: string): Promise<void> {
    await this.#query(`listen ${this.#client.escapeIdentifier(channel)}`);
  }

  #query(text: string): Promise<unknown> {
    const answer = this.#turn.then(() => this.#client.query(text));
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#supervised;
    await this.#client.end().catch(() => undefined);
  }

  async #supervise(): Promise<void> {
    const { signal } = this.#abort;
    while (!isAborted(signal)) {
      await this.#lost();
      await this.#client.end().catch(() => undefined);
      for (let attempt = 1; !isAborted(signal); attempt += 1) {
        await sleep(backoffMs(attempt, 100, 5000), undefined, { signal }).catch(() => undefined);
        if (isAborted(signal) || (await this.#reconnect())) break;
      }
    }
  }

  /** Resolves when the connection has ended, no longer answers, or is no longer needed. */
  async #lost(): Promise<void> {
    const { signal } = this.#abort;
    const ended = new AbortController();
    const end = (): void => {
      ended.abort();
    };
    this.#client.once('end', end);
    this.#client.once('error', end);
    signal.addEventListener('abort', end, { once: true });
    while (!isAborted(ended.signal)) {
      await sleep(heartbeatMs, undefined, { signal: ended.signal }).catch(() => undefined);
      if (isAborted(ended.signal)) break;
      await this.#query('select 1').catch(end);
    }
    signal.removeEventListener('abort', end);
  }

  async #reconnect(): Promise<boolean> {
    try {
      this.#client = await connect(this.config, this.subscribers);
      for (const channel of new Set([...this.subscribers].map((one) => one.channel)))
        await this.listen(channel);
    } catch (error) {
      await this.#client.end().catch(() => undefined);
      this.logger.warn({ err: error }, 'cannot listen');
      return false;
    }
    for (const { handler } of this.subscribers) handler(undefined);
    return true;
  }
}

async function connect(
  config: pg.ClientConfig,
  subscribers: ReadonlySet<Subscriber>,
): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  client.on('notification', ({ channel, payload }) => {
    for (const subscriber of subscribers)
      if (subscriber.channel === channel) subscriber.handler(payload ?? '');
  });
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

/** A function, because the compiler takes a signal's state for constant within a loop. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
