/** Limits attempts by key. If there are too many keys, it forgets the oldest. */
export class Attempts {
  readonly #tried = new Map<string, { count: number; readonly endsAtMs: number }>();

  /** @param nowMs milliseconds that never go back */
  constructor(
    private readonly limit: { readonly max: number; readonly windowMs: number },
    private readonly nowMs: () => number,
  ) {}

  /**
   * Counts an attempt.
   * @returns false if it is one too many; further attempts do not extend the window
   */
  take(key: string): boolean {
    const now = this.nowMs();
    const known = this.#tried.get(key);
    if (!known || known.endsAtMs <= now) {
      this.#tried.delete(key);
      this.#tried.set(key, { count: 1, endsAtMs: now + this.limit.windowMs });
      this.#bound();
      return true;
    }
    known.count += 1;
    return known.count <= this.limit.max;
  }

  /** Forgets the key's earlier attempts. */
  forget(key: string): void {
    this.#tried.delete(key);
  }

  #bound(): void {
    const [oldest] = this.#tried.keys();
    if (this.#tried.size > maxKeys && oldest !== undefined) this.#tried.delete(oldest);
  }
}

const maxKeys = 10_000;
