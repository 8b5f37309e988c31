import { type ServerResponse } from 'node:http';

/** So many calls in flight say that callers come as a crowd. */
const crowd = 8;
/** So many milliseconds a group is gathered. */
const gatherMs = 12;

/**
 * Lets calls in: a few at once, those of a crowd in groups (docs/adr/0043). Each step that follows wakes another process
 * and comes back to code that is no longer in the processor's caches: a group takes it together, and pays for that once.
 */
export class CallGroups {
  #inFlight = 0;
  #gathering: Promise<void> | undefined;

  /** Resolves when the call may go on: at once, or some milliseconds later. It is in flight until its answer is closed. */
  async join(answer: ServerResponse): Promise<void> {
    this.#inFlight += 1;
    answer.once('close', () => {
      this.#inFlight -= 1;
    });
    if (this.#inFlight <= crowd) return;
    this.#gathering ??= new Promise((goOn) => {
      setTimeout(() => {
        this.#gathering = undefined;
        goOn();
      }, gatherMs);
    });
    await this.#gathering;
  }
}
