import { DependencyUnavailable } from '#domain/kernel';
import {
  backoffMs,
  crashPoints,
  type Logger,
  type Metrics,
  refusedCertificate,
  withDeadline,
} from '#infra/runtime';
import { type Redis } from 'ioredis';
import { clientOf } from './client.js';
import { addTo, type Script, scripts } from './scripts.js';

export interface RedisStoreOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Names the process in CLIENT LIST. */
  readonly app?: string;
  /** Prefix of every key: an installation's own, or a test's. */
  readonly prefix?: string;
  /** Timeout of a command, including the wait for the connection. */
  readonly commandTimeoutMs?: number;
}

/** The server's settings would lose data that must not be lost. The message says what to change. */
export class UnsuitableRedis extends Error {
  override readonly name = 'UnsuitableRedis';
}

interface RedisMemory {
  readonly usedBytes: number;
  /** Undefined if the server has no limit. */
  readonly maxBytes: number | undefined;
  readonly policy: string;
}

/** Interval between two checks of a server that is unsuitable. */
const reconnectMs = 5000;

type Argument = string | number;

/** One connection to Redis. Every failure is DependencyUnavailable: the caller must fail closed. */
export class RedisStore {
  readonly #client: Redis;
  readonly #prefix: string;
  readonly #deadlineMs: number;
  #maxMemoryBytes: number | undefined;
  /** The fault of the last connection that failed, if only a person can end it. */
  #fault: string | undefined;
  /** True if the server's settings have not been checked yet: until then it gets no command of ours. */
  #isUnproven = false;
  /** True if commands are held back until the end of this turn of the event loop. */
  #isGathering = false;

  constructor(options: RedisStoreOptions) {
    const { url, logger, app = 'unnamed', prefix = 'pesapost:', commandTimeoutMs = 1000 } = options;
    this.#prefix = prefix;
    this.#deadlineMs = commandTimeoutMs;
    this.#client = clientOf(url, {
      connectionName: `pesapost-${app}`,
      // This limits the client's own checks of a new connection. Ours have `#guarded`, which a pause of this process
      // does not trip.
      commandTimeout: 5 * commandTimeoutMs,
      connectTimeout: commandTimeoutMs,
      // A command that cannot be sent at once fails at once. Nothing is queued for a server that is down, and nothing
      // is resent by itself, since a nonce sent twice would refuse its own request.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => backoffMs(attempt, 50, 2000),
      // A replica that was the master before a fail-over: find the new one. Before Redis 7, a script's error begins
      // differently.
      reconnectOnError: (error) => /(?:^|-)READONLY /.test(error.message),
      // `#gather` does the same and keeps the commands separate, so the script's text is sent if the server forgot it.
      enableAutoPipelining: false,
      lazyConnect: true,
    });
    this.#client.on('error', (error: Error) => {
      this.#connectionFailed(error, logger);
    });
    for (const { name, keys, lua } of scripts)
      this.#client.defineCommand(name, { numberOfKeys: keys, lua });
  }

  /**
   * Opens a store that is connected and suitable, or one whose server is down. The latter refuses every command until
   * the server is up and checked; meanwhile the process does the work that needs no Redis, such as taking callbacks.
   * @throws UnsuitableRedis
   */
  static async open(options: RedisStoreOptions): Promise<RedisStore> {
    const store = new RedisStore(options);
    try {
      await store.start();
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) {
        store.#client.disconnect();
        throw error;
      }
      options.logger.warn({ err: error }, 'starting without Redis, which is away');
      store.#isUnproven = true;
    }
    store.#proveEach(options.logger);
    return store;
  }

  /**
   * Connects, and refuses a server that would evict keys when its memory is full: an evicted nonce can be replayed.
   * @throws DependencyUnavailable, UnsuitableRedis
   */
  async start(): Promise<void> {
    await this.#guarded('connect', async () => {
      if (this.#client.status === 'wait') await this.#client.connect();
    });
    await this.#prove();
  }

  async #prove(): Promise<void> {
    const { policy } = await this.memory();
    if (policy !== 'noeviction')
      throw new UnsuitableRedis(
        `Redis has maxmemory-policy ${policy}, which may drop nonces: set it to noeviction`,
      );
    this.#isUnproven = false;
  }

  /** Checks the server whenever a connection comes up: it may be another server, with settings of its own (AUTH-18). */
  #proveEach(logger: Logger): void {
    const reconnect = (): void => {
      this.#client.disconnect(true);
    };
    this.#client.on('ready', () => {
      this.#isUnproven = true;
      this.#prove().then(
        () => {
          logger.info('Redis is connected, and its settings are right');
        },
        (error: unknown) => {
          logger.error({ err: error }, 'Redis cannot be used yet');
          // Check again with the next connection: its settings may be changed by then.
          if (error instanceof UnsuitableRedis) setTimeout(reconnect, reconnectMs).unref();
          else reconnect();
        },
      );
    });
  }

  /** A fault that only a person can end gets one line, however often the connection fails because of it. */
  #connectionFailed(error: Error, logger: Logger): void {
    const certificate = refusedCertificate(error, 'NODE_EXTRA_CA_CERTS');
    const fault = certificate ?? refusedUser(error);
    if (fault === undefined) logger.warn({ err: error }, 'the Redis connection failed');
    else if (fault !== this.#fault) {
      const code = certificate === undefined ? 'user_refused' : 'certificate_refused';
      logger.warn({ code }, `REDIS_URL: ${fault}`);
    }
    this.#fault = fault;
  }

  /** Redis' maxmemory at the last reading; undefined if it has none. */
  get maxMemoryBytes(): number | undefined {
    return this.#maxMemoryBytes;
  }

  /** The server's current memory figures. @throws DependencyUnavailable */
  async memory(): Promise<RedisMemory> {
    // Not CONFIG GET, which managed services forbid.
    const info = await this.#guarded('info', () => this.#client.info('memory'));
    const valueOf = (name: string): string | undefined =>
      new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
    this.#maxMemoryBytes = Number(valueOf('maxmemory') ?? 0) || undefined;
    return {
      usedBytes: Number(valueOf('used_memory') ?? 0),
      maxBytes: this.#maxMemoryBytes,
      policy: valueOf('maxmemory_policy') ?? 'unknown',
    };
  }

  /** @throws DependencyUnavailable */
  async ping(): Promise<void> {
    await this.#guard('ping', () => this.#client.ping());
  }

  /**
   * Checks that Redis answers and has room, before work begins that needs it later, when it is too late to refuse.
   * @throws DependencyUnavailable
   */
  async requireWritable(): Promise<void> {
    await this.set('writable', '', 1000);
  }

  async get(key: string): Promise<string | null> {
    return this.#guard('get', () => this.#client.get(this.#prefix + key));
  }

  /** @param lifeMs milliseconds after which the key is deleted */
  async set(key: string, value: string, lifeMs: number): Promise<void> {
    await this.#guard('set', () =>
      this.#client.set(this.#prefix + key, value, 'PX', Math.ceil(lifeMs)),
    );
  }

  /** The values of the keys, in order. */
  async getAll(keys: readonly [string, ...string[]]): Promise<(string | null)[]> {
    return this.#guard('mget', () => this.#client.mget(keys.map((key) => this.#prefix + key)));
  }

  /**
   * Adds to the number in a key, 0 if there is none.
   * @param lifeMs milliseconds after the last addition at which the key is deleted
   */
  async add(key: string, by: bigint, lifeMs: number): Promise<void> {
    await this.run(addTo, [key], [by.toString(), Math.ceil(lifeMs)]);
  }

  /** @returns false if the key exists already */
  async setIfAbsent(key: string, value: string, lifeMs: number): Promise<boolean> {
    const answer = await this.#guard('set-if-absent', () =>
      this.#client.set(this.#prefix + key, value, 'PX', Math.ceil(lifeMs), 'NX'),
    );
    return answer === 'OK';
  }

  /** Milliseconds until the key is deleted; 0 if it does not exist. */
  async lifeMs(key: string): Promise<number> {
    return Math.max(0, await this.#guard('pttl', () => this.#client.pttl(this.#prefix + key)));
  }

  /** Runs a script by its digest; the text is sent only if the server does not know it yet. */
  async run(
    script: Script,
    keys: readonly string[],
    values: readonly Argument[],
  ): Promise<unknown> {
    const command = (
      this.#client as unknown as Record<string, (...all: Argument[]) => Promise<unknown>>
    )[script.name];
    if (!command) throw new RangeError(`unknown script ${script.name}`);
    return this.#guard(script.name, () =>
      command.call(this.#client, ...keys.map((key) => this.#prefix + key), ...values),
    );
  }

  /** Waits for commands in flight, for as long as a command may take. */
  async close(): Promise<void> {
    await this.#client.quit().catch(() => undefined);
    this.#client.disconnect();
  }

  async #guard<T>(command: string, work: () => Promise<T>): Promise<T> {
    if (this.#isUnproven)
      throw new DependencyUnavailable('redis', 'its settings have not been checked yet');
    return this.#guarded(command, work);
  }

  async #guarded<T>(command: string, work: () => Promise<T>): Promise<T> {
    try {
      crashPoints?.pass('redis', command, 'before');
      this.#gather();
      const answer = await withDeadline(work(), this.#deadlineMs, `${command} took too long`);
      crashPoints?.pass('redis', command, 'after');
      return answer;
    } catch (error) {
      throw new DependencyUnavailable('redis', reasonOf(error), { cause: error });
    }
  }

  /** Commands of one turn of the event loop are sent in one write: a system call costs more than its data. */
  #gather(): void {
    // The type says that it always exists, but before the first connection it does not.
    const stream = this.#client.stream as Redis['stream'] | undefined;
    if (this.#isGathering || !stream) return;
    this.#isGathering = true;
    stream.cork();
    setImmediate(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }
}

/** The reason and, if only a person can end it, the action. Before Redis 7, a script's error begins differently. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('OOM')) return 'out of memory';
  if (/(?:^|-)MISCONF /.test(message))
    return 'it cannot write to its disk; make room there, and the service goes on by itself';
  return refusedUser(error) ?? 'no answer';
}

/** Undefined if the error is another one. */
function refusedUser(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : '';
  if (/^(?:WRONGPASS|NOAUTH) /.test(message))
    return 'it refuses the user or the password: correct them in the URL';
  return /(?:^|-)NOPERM /.test(message)
    ? 'its user lacks a right: docs/how-to/run-on-real-servers.md lists the rights of an ACL user'
    : undefined;
}

/** Redis' memory in use and its limit, read at each scrape of the metrics; NaN if Redis does not answer. */
export function observeMemory(metrics: Metrics, store: RedisStore): void {
  metrics.gauge({
    name: 'redis_used_memory_bytes',
    help: 'Memory that Redis uses; alert above 70 % of its limit',
    collect: () => store.memory().then(({ usedBytes }) => usedBytes, unknown),
  });
  metrics.gauge({
    name: 'redis_max_memory_bytes',
    help: 'Redis’ maxmemory; +Inf where it has none',
    collect: () => store.memory().then(({ maxBytes }) => maxBytes ?? Infinity, unknown),
  });
}

const unknown = (): number => NaN;
