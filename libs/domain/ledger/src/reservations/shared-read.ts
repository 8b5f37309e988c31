/** Shares reads among calls. The result is never older than the call, and one read serves many calls. */
export class SharedRead<Answer> {
  readonly #underWay = new Map<string, Promise<Answer>>();
  readonly #next = new Map<string, Promise<Answer>>();

  /** A call during a read shares the next read, which begins after that one. */
  ask(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const next = this.#next.get(key);
    if (next) return next;
    const underWay = this.#underWay.get(key);
    if (!underWay) return this.#begin(key, read);
    const begun = Promise.allSettled([underWay]).then(() => {
      this.#next.delete(key);
      return this.#begin(key, read);
    });
    this.#next.set(key, begun);
    return begun;
  }

  #begin(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const begun = read().finally(() => {
      if (this.#underWay.get(key) === begun) this.#underWay.delete(key);
    });
    this.#underWay.set(key, begun);
    return begun;
  }
}
