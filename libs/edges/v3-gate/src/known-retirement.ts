/** `unknown`: nobody may be served by V3, for it may be retired. */
export type RetirementState = 'in_service' | 'retired' | 'unknown';

/**
 * For so long the last look is believed. A look that fails is repeated every second or two, so it takes several
 * failures before V3 is refused; and without Postgres V3 could not tell its callers apart anyway.
 */
const believedMs = 10_000;

/** What was last seen of V3's end, and for how long that says anything. Times are of a clock that only rises. */
export class KnownRetirement {
  private seen: { readonly retired: boolean; readonly atMs: number } | undefined;

  /** @param atMs when it was asked: an answer is as old as its question */
  learn(retired: boolean, atMs: number): void {
    // Of two looks that overtake each other the end is the truth: there is no way back.
    if (this.seen?.retired !== true) this.seen = { retired, atMs };
  }

  /** What is retired stays retired, however old the news. */
  at(nowMs: number): RetirementState {
    if (this.seen?.retired === true) return 'retired';
    if (!this.seen || nowMs - this.seen.atMs > believedMs) return 'unknown';
    return 'in_service';
  }
}
