/** When a task may run, and whose it is. */
export interface Task {
  dueMs: number;
  /** Orders what is due at once. */
  readonly tie: number;
  /** The process that it continues; absent for the network and the servers. */
  readonly owner?: Owner;
  /** A pause that repeats for as long as nothing happens (leases renewed, heads looked up). */
  readonly isHousekeeping?: boolean;
  readonly run: () => void;
}

/** A process as the scheduler sees it. */
export interface Owner {
  /** What is due before waits until then. */
  readonly frozenUntilMs: number;
}

/** A loop that polls: it runs when there will be something to find, not two hundred times a second before. */
export interface Poller {
  readonly owner: Owner;
  readonly earliestMs: number;
  /** When a step would find something, as things stand; undefined where never. */
  readonly nextDueMs: () => number | undefined;
  readonly run: () => void;
}

/**
 * Virtual time. Whatever waits (a message on its way, a timer, a loop's pause) is a task here; nothing else ever
 * settles a promise, so the order of tasks is the schedule. One step runs one task.
 */
export class Scheduler {
  nowMs: number;
  #tasks: Task[] = [];
  readonly #pollers = new Set<Poller>();

  /**
   * @param isQuiet whether housekeeping would change nothing now: then time passes over it
   * @param onSkip told how much time housekeeping was spared, for what expires
   */
  constructor(
    startMs: number,
    private readonly isQuiet: () => boolean,
    private readonly onSkip: (ms: number) => void,
  ) {
    this.nowMs = startMs;
  }

  add(task: Task): void {
    this.#tasks.push(task);
  }

  remove(task: Task): void {
    const index = this.#tasks.indexOf(task);
    if (index >= 0) this.#tasks.splice(index, 1);
  }

  park(poller: Poller): void {
    this.#pollers.add(poller);
  }

  /** A process died: nothing that it waited for comes. */
  drop(owner: Owner): void {
    this.#tasks = this.#tasks.filter((task) => task.owner !== owner);
    for (const poller of this.#pollers) if (poller.owner === owner) this.#pollers.delete(poller);
  }

  /** Runs what is next, the clock moved there; false where nothing is left before `untilMs`. */
  step(untilMs: number): boolean {
    const isQuiet = this.isQuiet();
    let next: Task | Poller | undefined;
    let nextMs = untilMs;
    let nextTie = Number.POSITIVE_INFINITY;
    for (const task of this.#tasks) {
      if (isQuiet && task.isHousekeeping) continue;
      const dueMs = Math.max(task.dueMs, task.owner?.frozenUntilMs ?? 0);
      if (dueMs > nextMs || (dueMs === nextMs && task.tie >= nextTie)) continue;
      [next, nextMs, nextTie] = [task, dueMs, task.tie];
    }
    for (const poller of this.#pollers) {
      const found = poller.nextDueMs();
      if (found === undefined) continue;
      const dueMs = Math.max(poller.earliestMs, poller.owner.frozenUntilMs, found);
      if (dueMs < nextMs) [next, nextMs, nextTie] = [poller, dueMs, Number.POSITIVE_INFINITY];
    }
    if (!next) return false;
    if (isQuiet) this.#passOver(nextMs - this.nowMs);
    this.nowMs = Math.max(this.nowMs, nextMs);
    if ('nextDueMs' in next) this.#pollers.delete(next);
    else this.remove(next);
    next.run();
    return true;
  }

  #passOver(ms: number): void {
    if (ms <= 0) return;
    for (const task of this.#tasks) if (task.isHousekeeping) task.dueMs += ms;
    this.onSkip(ms);
  }
}
