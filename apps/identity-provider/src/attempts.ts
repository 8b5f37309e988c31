/** How often something may be tried, by key; the oldest keys go where there are too many. */
export class Attempts {
  readonly #tried = new Map<string, { count: number; readonly endsAtMs: number }>();

  /** @param nowMs milliseconds that only rise */
  constructor(
    private readonly limit: { readonly max: number; readonly windowMs: number },
    private readonly nowMs: () => number,
  ) {}

  /** Notes an attempt. @returns false where it is one too many; the window then is over when it is over */
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

  /** What was tried before counts no more. */
  forget(key: string): void {
    this.#tried.delete(key);
  }

  #bound(): void {
    const [oldest] = this.#tried.keys();
    if (this.#tried.size > maxKeys && oldest !== undefined) this.#tried.delete(oldest);
  }
}

const maxKeys = 10_000;
