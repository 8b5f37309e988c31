import { LRUCache } from 'lru-cache';

interface Entry<Value> {
  readonly value: Value;
  readonly readAtMs: number;
}

interface AnnouncedCacheOptions<Value> {
  /** Undefined if the key names nothing; that is not cached. */
  readonly load: (key: string) => Promise<Value | undefined>;
  /** Milliseconds that only rise, whatever happens to the wall clock. */
  readonly monotonicMs?: () => number;
}

/** An operator's change takes effect after this time at the latest, even if the announcement is lost. */
const maxAgeMs = 1000;
/** After half the time, the value is read again while the old entry still serves, so that a busy caller never waits. */
const refreshAgeMs = 500;
const maxEntries = 10_000;

/** This process's cache of operators' facts: merchants, credentials, keys. An announcement or age ends an entry. */
export class AnnouncedCache<Value extends object> {
  readonly #load: AnnouncedCacheOptions<Value>['load'];
  readonly #nowMs: () => number;
  readonly #entries = new LRUCache<string, Entry<Value>>({ max: maxEntries });
  #loading = new Map<string, Promise<Value | undefined>>();

  constructor({ load, monotonicMs = () => performance.now() }: AnnouncedCacheOptions<Value>) {
    this.#load = load;
    this.#nowMs = monotonicMs;
  }

  /** @throws DependencyUnavailable if no entry is fresh enough and the source cannot be read */
  async find(key: string): Promise<Value | undefined> {
    const entry = this.#entries.get(key);
    const ageMs = entry ? this.#nowMs() - entry.readAtMs : Infinity;
    if (!entry || ageMs >= maxAgeMs) return this.#read(key);
    // If it fails, the entry ends by age and the next caller gets the error.
    if (ageMs >= refreshAgeMs) this.#read(key).catch(() => undefined);
    return entry.value;
  }

  /**
   * From now on, serves none of the values read before that `concerns` selects. Operators act a few times a day, so it
   * may select all.
   */
  forget(concerns: (value: Value) => boolean = () => true): void {
    // Reads under way may have seen the old state: no new caller joins them, and they cache nothing.
    this.#loading = new Map();
    for (const [key, { value }] of [...this.#entries])
      if (concerns(value)) this.#entries.delete(key);
  }

  /** Runs one read at a time for each key. */
  #read(key: string): Promise<Value | undefined> {
    const loading = this.#loading;
    const known = loading.get(key);
    if (known) return known;
    const readAtMs = this.#nowMs();
    const read = this.#load(key)
      .then((value) => {
        if (loading === this.#loading)
          // Undefined deletes: a key that names nothing is not cached.
          this.#entries.set(key, value && { value, readAtMs });
        return value;
      })
      .finally(() => loading.delete(key));
    loading.set(key, read);
    return read;
  }
}
