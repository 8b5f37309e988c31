import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailable } from '#domain/kernel';
import { backoffMs } from '#infra/runtime';
import { type Claim, type IdempotencyClaims } from '#records/credentials';

/** A call that broke off has an answer to send, so the rest is done in the background. */
const waitedForMs = 500;
/** The number that an outage under load leaves. Further claims wait until they are old enough. */
const maxWaiting = 10_000;
const firstPauseMs = 250;
const maxPauseMs = 1_000;
/** If Postgres was frozen, a statement that was given up still takes effect soon after it resumes. */
const secondLookMs = 2_000;

type Broken = Pick<Claim, 'keyHash' | 'fingerprint'>;

interface Waiting {
  readonly claim: Broken;
  readonly untilMs: number;
  readonly done: () => void;
  readonly isSecondLook?: true;
}

/**
 * Gives back the claims of calls that broke off, so that their repeats need not wait until the claims look abandoned.
 * Often a call breaks off because Postgres is away, and then this fails too. So it is tried until Postgres is back, one
 * claim at a time, and no longer than until the claim's age has the same effect. A claim that is not found is looked
 * for once more: Postgres may not have run its insert yet when the call gave up.
 */
export class AbandonedClaims {
  readonly #waiting: Waiting[] = [];
  #isWorking = false;

  /** @param ageMs the age at which a claim counts as abandoned anyway */
  constructor(
    private readonly claims: Pick<IdempotencyClaims, 'abandon'>,
    private readonly ageMs: number,
  ) {}

  /** Resolves when the claim was given back, or after half a second; never rejects. */
  async add(claim: Broken): Promise<void> {
    if (this.#waiting.length >= maxWaiting) return;
    const done = new Promise<void>((resolve) => {
      this.#enqueue({ claim, untilMs: performance.now() + this.ageMs, done: resolve });
    });
    await Promise.race([done, sleep(waitedForMs)]);
  }

  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    let failures = 0;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const found = performance.now() < next.untilMs ? await this.#giveBack(next.claim) : 'no';
      if (found === 'unavailable') {
        failures += 1;
        await sleep(backoffMs(failures, firstPauseMs, maxPauseMs), undefined, { ref: false });
        continue;
      }
      failures = 0;
      this.#waiting.shift();
      next.done();
      if (found === 'not_there' && !next.isSecondLook) this.#lookAgain(next);
    }
    this.#isWorking = false;
  }

  #lookAgain(waiting: Waiting): void {
    const timer = setTimeout(() => {
      if (this.#waiting.length < maxWaiting) this.#enqueue({ ...waiting, isSecondLook: true });
    }, secondLookMs);
    timer.unref();
  }

  /** Returns `no` if nothing is left to do. A failure of Postgres is worth another try; a defect is not. */
  async #giveBack(claim: Broken): Promise<'given_back' | 'not_there' | 'unavailable' | 'no'> {
    try {
      const isThere = await this.claims.abandon(claim, this.ageMs);
      return isThere ? 'given_back' : 'not_there';
    } catch (error) {
      return error instanceof DependencyUnavailable ? 'unavailable' : 'no';
    }
  }
}
