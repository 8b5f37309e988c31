import { type ServerResponse } from 'node:http';

/** Above this many calls in flight, calls are grouped. */
const minConcurrentCalls = 8;
/** A group is gathered for at least `min` milliseconds, and for up to `max` while others are under way. */
const gatherMs = { min: 12, max: 36 } as const;
/** While this many groups are under way, the next one keeps gathering. */
const maxGroupsInFlight = 2;

/**
 * Admits calls: a few at once, many in groups (docs/adr/0043). Each step after this one wakes another process and
 * returns to code that is no longer in the processor's caches. A group takes each step together, and pays for it once.
 */
export class CallGroups {
  #inFlight = 0;
  #underWay = 0;
  #gathering: Group | undefined;

  /**
   * Resolves when the call may go on: at once, or some milliseconds later. The call is in flight until its answer is
   * closed.
   */
  async join(answer: ServerResponse): Promise<void> {
    this.#inFlight += 1;
    const group =
      this.#inFlight > minConcurrentCalls ? (this.#gathering ??= this.#gather()) : undefined;
    answer.once('close', () => {
      this.#inFlight -= 1;
      group?.leave();
    });
    await group?.join();
  }

  #gather(): Group {
    return new Group({
      isHeld: () => this.#underWay >= maxGroupsInFlight,
      onBegun: () => {
        this.#gathering = undefined;
        this.#underWay += 1;
      },
      onDone: () => {
        this.#underWay -= 1;
        this.#gathering?.goOn();
      },
    });
  }
}

interface GroupOptions {
  readonly isHeld: () => boolean;
  readonly onBegun: () => void;
  readonly onDone: () => void;
}

/** Calls that go on together. A group is done once half of them have answers, so a slow rail delays no other group. */
class Group {
  readonly #begun = Promise.withResolvers<undefined>();
  readonly #atMost: NodeJS.Timeout;
  #state: 'gathering' | 'ready' | 'under way' | 'done' = 'gathering';
  #calls = 0;
  #left = 0;

  constructor(private readonly options: GroupOptions) {
    this.#atMost = setTimeout(() => {
      this.#begin();
    }, gatherMs.max);
    setTimeout(() => {
      this.#state = 'ready';
      this.goOn();
    }, gatherMs.min);
  }

  /** Resolves when the group goes on. */
  join(): Promise<unknown> {
    this.#calls += 1;
    return this.#begun.promise;
  }

  /** Tells the group that one of its calls is over. */
  leave(): void {
    this.#left += 1;
    this.#endIfMostLeft();
  }

  /** Starts the group if it was gathered long enough and is not held. */
  goOn(): void {
    if (this.#state === 'ready' && !this.options.isHeld()) this.#begin();
  }

  #begin(): void {
    clearTimeout(this.#atMost);
    this.#state = 'under way';
    this.options.onBegun();
    this.#begun.resolve(undefined);
    this.#endIfMostLeft();
  }

  #endIfMostLeft(): void {
    if (this.#state !== 'under way' || 2 * this.#left < this.#calls) return;
    this.#state = 'done';
    this.options.onDone();
  }
}
