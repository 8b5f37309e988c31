/** The shortest and the longest gap between two questions, in milliseconds. */
interface GapBounds {
  readonly least: number;
  readonly most: number;
}

/** Ten questions a second, and fewer while the rail pushes back. */
const gapBounds: GapBounds = { least: 100, most: 60_000 };
/** How far questions may run ahead of the pace: five at once if none was asked just before. */
const gapsAhead = 4;
/** The factor by which a taken question shortens the gap. A question that was not taken lengthens it by more. */
const recovery = 0.9;

interface Pace {
  gapMs: number;
  nextMs: number;
}

/** The pace of the extra questions about a rail's mode, in this process. All of them share it. */
export class ExtraPace {
  readonly #paces = new Map<string, Pace>();

  constructor(private readonly bounds = gapBounds) {}

  /** Takes a turn if there is one now. */
  takesTurn(name: string, nowMs: number): boolean {
    const pace = this.#of(name);
    // A clock that was set back must not delay questions for hours.
    const isFarAhead = pace.nextMs - nowMs > 2 * this.bounds.most;
    const dueMs = isFarAhead ? nowMs : Math.max(pace.nextMs, nowMs);
    if (dueMs > nowMs + gapsAhead * this.bounds.least) return false;
    pace.nextMs = dueMs + pace.gapMs;
    return true;
  }

  /** Nothing was asked in that turn. */
  giveBack(name: string): void {
    const pace = this.#of(name);
    pace.nextMs -= pace.gapMs;
  }

  /** @param isTaken true if the rail took the question */
  heard(name: string, isTaken: boolean): void {
    const pace = this.#of(name);
    pace.gapMs = isTaken
      ? Math.max(this.bounds.least, pace.gapMs * recovery)
      : Math.min(this.bounds.most, pace.gapMs * 2);
  }

  #of(name: string): Pace {
    const known = this.#paces.get(name);
    if (known) return known;
    const pace = { gapMs: this.bounds.least, nextMs: 0 };
    this.#paces.set(name, pace);
    return pace;
  }
}
