import { type Outcome, type StoreCommand } from './commands.js';
import { type EventLog, type StoredEvent } from './event-log.js';
import { PendingGroup } from './pending-group.js';
import { RecentIds } from './recent-ids.js';

/** Called after each commit with the group's appends that brought events, each with its events in log order. */
export type CommitListener = (appends: readonly (readonly StoredEvent[])[]) => void;

interface Waiting {
  readonly command: StoreCommand;
  readonly tell: (outcome: Outcome) => void;
}

/** Further commands wait for the next group, so that no command waits behind a very long group. */
const MAX_GROUP_COMMANDS = 1000;
/** A group has at most this many bytes of events, unless a single append is larger. */
const MAX_GROUP_BYTES = 4 * 1024 * 1024;

/**
 * The only writer. While one group is being flushed, the next one gathers. Under load many appends share one fsync, and
 * a single append never waits for others.
 */
export class GroupWriter {
  readonly #log: EventLog;
  readonly #now: () => number;
  readonly #onCommit: CommitListener;
  readonly #onFailure: (reason: string) => void;
  #recent = new RecentIds();
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  /** `now`: milliseconds of the Unix epoch, which become the time of events. */
  constructor(
    log: EventLog,
    now: () => number,
    onCommit: CommitListener,
    onFailure: (reason: string) => void,
  ) {
    this.#log = log;
    this.#now = now;
    this.#onCommit = onCommit;
    this.#onFailure = onFailure;
  }

  /** Resolves when the command is durable or refused; never rejects. */
  submit(command: StoreCommand): Promise<Outcome> {
    if (this.#closed) return Promise.resolve({ kind: 'shutting-down' });
    return new Promise((tell) => {
      this.#queue.push({ command, tell });
      this.#running ??= this.#run();
    });
  }

  /** Finishes the group in flight. Commands that still wait get `shutting-down`. */
  async close(): Promise<void> {
    this.#closed = true;
    const abandoned = this.#queue;
    this.#queue = [];
    await this.#running;
    for (const { tell } of abandoned) tell({ kind: 'shutting-down' });
  }

  async #run(): Promise<void> {
    // Requests that arrived with this one can join its group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) await this.#writeGroup();
    this.#running = undefined;
  }

  async #writeGroup(): Promise<void> {
    const group = new PendingGroup(this.#log, this.#recent, this.#now());
    const decided: { waiting: Waiting; outcome: Outcome }[] = [];
    const appends: (readonly StoredEvent[])[] = [];
    const { events } = group.changes;
    const first = this.#log.nextPosition;
    let taken = 0;
    for (const waiting of this.#queue) {
      const before = events.length;
      decided.push({ waiting, outcome: decide(group, waiting.command) });
      taken++;
      const added = events.slice(before);
      if (added.length > 0) appends.push(added);
      const last = added.at(-1);
      const full = last !== undefined && last.position - first > MAX_GROUP_BYTES;
      if (full || taken === MAX_GROUP_COMMANDS) break;
    }
    this.#queue = this.#queue.slice(taken);
    const failure = events.length === 0 ? undefined : await this.#commit(group);
    // A refusal may depend on an event of the same group, so a failure applies to all commands of the group.
    for (const { waiting, outcome } of decided) waiting.tell(failure ?? outcome);
    if (failure === undefined && appends.length > 0) this.#onCommit(appends);
  }

  async #commit(group: PendingGroup): Promise<Outcome | undefined> {
    try {
      await this.#log.commit(group.changes);
      return undefined;
    } catch (error) {
      this.#recent = new RecentIds();
      const reason = error instanceof Error ? error.message : String(error);
      this.#onFailure(reason);
      return { kind: 'storage-failed', reason };
    }
  }
}

function decide(group: PendingGroup, command: StoreCommand): Outcome {
  if (command.kind !== 'append') return group.delete(command);
  if (command.deadline !== undefined && command.deadline < Date.now()) return { kind: 'timed-out' };
  return group.append(command);
}
