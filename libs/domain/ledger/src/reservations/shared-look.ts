/** A question whose answer may not be older than the asking, and that costs the same for one and for many. */
export class SharedLook<Answer> {
  readonly #underWay = new Map<string, Promise<Answer>>();
  readonly #next = new Map<string, Promise<Answer>>();

  /** Who comes while a look is under way shares the next one, which begins behind it. */
  ask(key: string, look: () => Promise<Answer>): Promise<Answer> {
    const next = this.#next.get(key);
    if (next) return next;
    const underWay = this.#underWay.get(key);
    if (!underWay) return this.#begin(key, look);
    const begun = Promise.allSettled([underWay]).then(() => {
      this.#next.delete(key);
      return this.#begin(key, look);
    });
    this.#next.set(key, begun);
    return begun;
  }

  #begin(key: string, look: () => Promise<Answer>): Promise<Answer> {
    const begun = look().finally(() => {
      if (this.#underWay.get(key) === begun) this.#underWay.delete(key);
    });
    this.#underWay.set(key, begun);
    return begun;
  }
}
