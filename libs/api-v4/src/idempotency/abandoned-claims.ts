import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailable } from '#kernel';
import { abandonClaim, type Claim, type Queryable } from '#postgres';
import { backoffMs } from '#runtime';

/** Whoever broke off has an answer to give: the rest is done behind its back. */
const waitedForMs = 500;
/** An outage under load leaves as many; what is beyond it waits for its age. */
const mostWaiting = 10_000;
const firstPauseMs = 250;
const longestPauseMs = 1_000;

type Broken = Pick<Claim, 'keyHash' | 'fingerprint'>;

interface Waiting {
  readonly claim: Broken;
  readonly untilMs: number;
  readonly done: () => void;
}

/**
 * Gives back the claims of calls that broke off, so that their repeats need not wait until the claims look abandoned.
 * Often a call breaks off because Postgres is away, and then this fails too: it is tried until Postgres is back, one
 * claim at a time, and no longer than the claim's age takes to tell the same.
 */
export class AbandonedClaims {
  readonly #waiting: Waiting[] = [];
  #isWorking = false;

  /** @param ageMs at which a claim counts as abandoned by itself */
  constructor(
    private readonly database: Queryable,
    private readonly ageMs: number,
  ) {}

  /** Resolves when the claim was given back, or after half a second; never rejects. */
  async add(claim: Broken): Promise<void> {
    if (this.#waiting.length >= mostWaiting) return;
    const done = new Promise<void>((resolve) => {
      const untilMs = performance.now() + this.ageMs;
      this.#waiting.push({ claim, untilMs, done: resolve });
    });
    if (!this.#isWorking) void this.#work();
    await Promise.race([done, sleep(waitedForMs)]);
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    let failures = 0;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      if (performance.now() < next.untilMs && !(await this.#isDone(next.claim))) {
        failures += 1;
        await sleep(backoffMs(failures, firstPauseMs, longestPauseMs), undefined, { ref: false });
        continue;
      }
      failures = 0;
      this.#waiting.shift();
      next.done();
    }
    this.#isWorking = false;
  }

  /** Where it is Postgres that fails it is worth another try; a defect is not. */
  async #isDone(claim: Broken): Promise<boolean> {
    try {
      await abandonClaim(this.database, claim, this.ageMs);
      return true;
    } catch (error) {
      return !(error instanceof DependencyUnavailable);
    }
  }
}
