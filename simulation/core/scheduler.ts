/** A task with its time and its process. */
export interface Task {
  dueMs: number;
  /** Orders tasks that are due at the same time. */
  readonly tie: number;
  /** The process that it continues; absent for the network and the servers. */
  readonly owner?: Owner;
  /** True for a pause that repeats as long as nothing happens (leases renewed, heads looked up). */
  readonly isHousekeeping?: boolean;
  readonly run: () => void;
}

/** A process as the scheduler sees it. */
export interface Owner {
  /** Tasks that are due earlier wait until then. */
  readonly frozenUntilMs: number;
}

/** A polling loop. It runs only when there will be something to find, instead of two hundred times a second. */
export interface Poller {
  readonly owner: Owner;
  readonly earliestMs: number;
  /** Returns when a step would find something in the present state; undefined if never. */
  readonly nextDueMs: () => number | undefined;
  readonly run: () => void;
}

/**
 * Virtual time. Everything that waits (a message in transit, a timer, a loop's pause) is a task here. Only tasks settle
 * promises, so the order of tasks is the schedule. One step runs one task.
 */
export class Scheduler {
  nowMs: number;
  #tasks: Task[] = [];
  readonly #pollers = new Set<Poller>();

  /**
   * @param isQuiet returns true if housekeeping would change nothing now, so that time may skip it
   * @param onSkip called with the skipped time, for things that expire
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

  /** Removes the tasks of a process that died. */
  drop(owner: Owner): void {
    this.#tasks = this.#tasks.filter((task) => task.owner !== owner);
    for (const poller of this.#pollers) if (poller.owner === owner) this.#pollers.delete(poller);
  }

  /** Runs the next task and moves the clock to its time. Returns false if no task is left before `untilMs`. */
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
