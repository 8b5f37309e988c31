/** Ten questions a second, and fewer while the rail pushes back; `most` is the longest gap between two. */
const gapBounds = { least: 100, most: 60_000 } as const;
/** So far ahead of the pace: five at once, where none was asked just before. */
const aheadMs = 4 * gapBounds.least;
/** One that was taken shortens the gap by so much: slower than one that was not lengthens it. */
const recovery = 0.9;

interface Pace {
  gapMs: number;
  nextMs: number;
}

/** What extra questions about a rail's mode are paced by, in this process: all of them together. */
export class ExtraPace {
  readonly #paces = new Map<string, Pace>();

  /** Takes a turn, where there is one now. */
  takesTurn(name: string, nowMs: number): boolean {
    const pace = this.#of(name);
    // A clock that was set back must not hold them up for hours.
    const isFarAhead = pace.nextMs - nowMs > 2 * gapBounds.most;
    const dueMs = isFarAhead ? nowMs : Math.max(pace.nextMs, nowMs);
    if (dueMs > nowMs + aheadMs) return false;
    pace.nextMs = dueMs + pace.gapMs;
    return true;
  }

  /** Nothing was asked in that turn. */
  giveBack(name: string): void {
    const pace = this.#of(name);
    pace.nextMs -= pace.gapMs;
  }

  /** @param isTaken whether the rail took the question */
  heard(name: string, isTaken: boolean): void {
    const pace = this.#of(name);
    pace.gapMs = isTaken
      ? Math.max(gapBounds.least, pace.gapMs * recovery)
      : Math.min(gapBounds.most, pace.gapMs * 2);
  }

  #of(name: string): Pace {
    const known = this.#paces.get(name);
    if (known) return known;
    const pace = { gapMs: gapBounds.least, nextMs: 0 };
    this.#paces.set(name, pace);
    return pace;
  }
}
