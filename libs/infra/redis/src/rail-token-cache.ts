import { DependencyUnavailable } from '#domain/kernel';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisStore } from './redis-store.js';
import { removeIfSame, removeIfSameAndAlone } from './scripts.js';

/** A token of the rail, and its lifetime. */
export interface RailToken {
  readonly token: string;
  readonly lifeMs: number;
}

/** Seals values in Redis, which others may read: the rail's token allows pushes in our name. */
export interface TokenSeal {
  seal(token: string): string;
  /** Undefined if it was sealed under a key that this process does not have, or is damaged. */
  open(sealed: string): string | undefined;
}

export interface RailTokenCacheOptions {
  /** Distinguishes rails and modes, such as `mpesa-demo`. */
  readonly name: string;
  /** Asks the rail for a new token, which ends the previous one. Has a deadline of its own. */
  readonly fetch: () => Promise<RailToken>;
  /** The time that one instance has to fetch; after it, another may try. */
  readonly fetchDeadlineMs: number;
  /** A token that was fetched less than this ago is not discarded; default 10 s. */
  readonly freshMs?: number;
}

interface Found {
  readonly token: string;
  /** The token as Redis stores it. */
  readonly sealed: string;
}

/** A token is discarded this long before it ends, so that no call uses one that just ended. */
const marginMs = 60_000;
const pollMs = 50;
/**
 * A push uses the remembered token without asking Redis. If the token ended meanwhile, the rail refuses it, and the
 * push asks again.
 */
const rememberedMs = 1000;
/**
 * If a token is refused so soon after it was fetched, it is not stale: one endpoint refuses every token. Fetching again
 * for that endpoint would end the others' token, again and again.
 */
const usualFreshMs = 10_000;

/**
 * One token shared by all instances: the rail ends the previous token whenever it issues a new one, so one instance
 * fetches and the others wait for it. If Redis is down, the instances cannot agree, and `get` throws.
 */
export class RailTokenCache {
  #inFlight: Promise<string> | undefined;
  #remembered: { readonly token: string; readonly until: number } | undefined;
  /** Raised by each invalidation: a look-up that began before it may have found the token that it ended. */
  #generation = 0;
  #refused: string | undefined;

  constructor(
    private readonly store: RedisStore,
    private readonly options: RailTokenCacheOptions,
    private readonly seal: TokenSeal,
  ) {}

  /** @throws DependencyUnavailable; the errors of `fetch` */
  async get(): Promise<string> {
    const now = performance.now();
    if (this.#remembered && now < this.#remembered.until) return this.#remembered.token;
    const generation = this.#generation;
    const token = await (this.#inFlight ?? this.#look());
    if (generation === this.#generation && token !== this.#refused)
      this.#remembered = { token, until: now + rememberedMs };
    return token;
  }

  /**
   * The rail refused this token: forget it, unless another instance has a newer one already, or it is fresh itself
   * (COL-21).
   */
  async invalidate(token: string): Promise<void> {
    this.#generation += 1;
    this.#refused = token;
    this.#inFlight = undefined;
    if (this.#remembered?.token === token) this.#remembered = undefined;
    const found = await this.#read();
    if (found?.token !== token) return;
    const keys = [this.#key('token'), this.#key('fresh')];
    const removed = await this.store.run(removeIfSameAndAlone, keys, [found.sealed]);
    if (removed === -1 && this.#refused === token) this.#refused = undefined;
  }

  #look(): Promise<string> {
    const look = this.#find().finally(() => {
      if (this.#inFlight === look) this.#inFlight = undefined;
    });
    this.#inFlight = look;
    return look;
  }

  async #find(): Promise<string> {
    const { fetchDeadlineMs } = this.options;
    const giveUpAt = performance.now() + 2 * fetchDeadlineMs;
    const ticket = randomUUID();
    do {
      const cached = await this.#read();
      if (cached) return cached.token;
      if (await this.store.setIfAbsent(this.#key('lock'), ticket, fetchDeadlineMs))
        return await this.#fill(ticket);
      await sleep(pollMs);
    } while (performance.now() < giveUpAt);
    throw new DependencyUnavailable('redis', 'no instance got a rail token in time');
  }

  async #fill(ticket: string): Promise<string> {
    try {
      // Another instance may have filled it between our read and our lock.
      const cached = await this.#read();
      if (cached) return cached.token;
      const { token, lifeMs } = await this.options.fetch();
      // Set this first: an instance that sees the token then sees that it is fresh.
      await this.store.set(this.#key('fresh'), '1', this.options.freshMs ?? usualFreshMs);
      await this.store.set(
        this.#key('token'),
        this.seal.seal(token),
        Math.max(1000, lifeMs - marginMs),
      );
      return token;
    } finally {
      await this.store.run(removeIfSame, [this.#key('lock')], [ticket]).catch(() => undefined);
    }
  }

  /** A token that cannot be opened counts as missing: the next token replaces it. */
  async #read(): Promise<Found | undefined> {
    const sealed = await this.store.get(this.#key('token'));
    const token = sealed === null ? undefined : this.seal.open(sealed);
    return sealed === null || token === undefined ? undefined : { token, sealed };
  }

  #key(part: 'token' | 'fresh' | 'lock'): string {
    return `rail-${part}:${this.options.name}`;
  }
}
