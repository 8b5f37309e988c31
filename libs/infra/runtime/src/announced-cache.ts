import { LRUCache } from 'lru-cache';

interface Entry<Value> {
  readonly value: Value;
  readonly readAtMs: number;
}

interface AnnouncedCacheOptions<Value> {
  /** Undefined where the key names nothing; that is not kept. */
  readonly load: (key: string) => Promise<Value | undefined>;
  /** Milliseconds that only rise, whatever happens to the clock on the wall. */
  readonly monotonicMs?: () => number;
}

/** What an operator changed is honoured no longer than this, even where the announcement is lost. */
const maxAgeMs = 1000;
/** Half of it is left for reading again while the old entry still serves, so that a busy caller never waits. */
const refreshAgeMs = 500;
const maxEntries = 10_000;

/** What this process knows of operators' facts: merchants, credentials, keys. Ended by announcement and by age. */
export class AnnouncedCache<Value extends object> {
  readonly #load: AnnouncedCacheOptions<Value>['load'];
  readonly #nowMs: () => number;
  readonly #entries = new LRUCache<string, Entry<Value>>({ max: maxEntries });
  #loading = new Map<string, Promise<Value | undefined>>();

  constructor({ load, monotonicMs = () => performance.now() }: AnnouncedCacheOptions<Value>) {
    this.#load = load;
    this.#nowMs = monotonicMs;
  }

  /** @throws DependencyUnavailable where nothing fresh enough is known and nobody can be asked */
  async find(key: string): Promise<Value | undefined> {
    const entry = this.#entries.get(key);
    const ageMs = entry ? this.#nowMs() - entry.readAtMs : Infinity;
    if (!entry || ageMs >= maxAgeMs) return this.#read(key);
    // Where it fails, the entry ends by age and the next caller hears of it.
    if (ageMs >= refreshAgeMs) this.#read(key).catch(() => undefined);
    return entry.value;
  }

  /**
   * Serves nothing that was read before now of the values that `concerns` names. Operators act a few times a day,
   * so it may be all of them.
   */
  forget(concerns: (value: Value) => boolean = () => true): void {
    // Reads under way may have seen the old state: nobody new joins them, and they keep nothing.
    this.#loading = new Map();
    for (const [key, { value }] of [...this.#entries])
      if (concerns(value)) this.#entries.delete(key);
  }

  /** One read at a time for each key, whoever asks. */
  #read(key: string): Promise<Value | undefined> {
    const loading = this.#loading;
    const known = loading.get(key);
    if (known) return known;
    const readAtMs = this.#nowMs();
    const read = this.#load(key)
      .then((value) => {
        if (loading === this.#loading)
          // Undefined deletes: what names nothing is not kept.
          this.#entries.set(key, value && { value, readAtMs });
        return value;
      })
      .finally(() => loading.delete(key));
    loading.set(key, read);
    return read;
  }
}
