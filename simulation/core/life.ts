import { Dice } from './dice.js';
import { type Owner, type Task } from './scheduler.js';
import { type ServerName, type World } from './world.js';

/** A question to a server. */
export interface Call<T> {
  readonly server: ServerName;
  /** A description in plain words, after the process's name: `appends WalletPosted to c1`. */
  readonly what: string;
  /** The server's work, at one instant. A thrown error is its answer. */
  readonly serve: () => T;
  /** True for the usual answers of loops, which are not worth tracing. */
  readonly isRoutine?: (answer: T) => boolean;
  /** How long the caller waits. */
  readonly deadlineMs: number;
  /** Returns the caller's error if there is no answer. */
  readonly unavailable: (why: string) => Error;
}

/** How often a call goes wrong, before the schedule's hostility is applied. */
const odds = { unsent: 0.01, answerLost: 0.02, slow: 0.02, death: 0.004, freeze: 0.003 } as const;

/** One run of a process, from its start to its death. The promises that it waits for end with it: they never settle. */
export class Life implements Owner {
  frozenUntilMs = 0;
  isOver = false;
  readonly #counts = new Map<string, number>();

  /**
   * @param name such as `worker-2`
   * @param run counts the process's starts
   * @param die called with the label if the process is to be killed
   */
  constructor(
    readonly world: World,
    readonly name: string,
    readonly run: number,
    private readonly die: (label: string) => void,
  ) {}

  /** Returns a label that no other draw of this schedule has: the action and its count. */
  label(what: string): string {
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    return `${this.name}.${this.run} ${what} ${count}`;
  }

  /** Settles later, by the scheduler, together with this process's continuations, and so never after its death. */
  later(delayMs: number, tie: number, run: () => void): Task {
    const task = { dueMs: this.world.nowMs + delayMs, tie, owner: this, run };
    if (!this.isOver) this.world.scheduler.add(task);
    return task;
  }

  /**
   * Sends a message to a server and waits for the answer. The message may be lost or late, or both ways may be slow.
   * The server may be away, or it may do the work and its answer be lost. A request that was sent outlives its sender.
   */
  call<T>(call: Call<T>): Promise<T> {
    const { world } = this;
    const label = this.label(call.what);
    const dice = new Dice(world.seed, label);
    const isUnsent = world.faults.happens(`${label}: not sent`, odds.unsent);
    const slowMs = world.faults.happens(`${label}: slow`, odds.slow) ? dice.between(500, 9000) : 0;
    const [thereMs, backMs] = [latencyMs(dice) + slowMs, latencyMs(dice)];
    const tie = dice.bits();
    return new Promise<T>((resolve, reject) => {
      const giveUp = (why: string, afterMs: number): void => {
        this.later(afterMs, tie, () => {
          reject(call.unavailable(why));
        });
      };
      if (isUnsent) {
        world.tell(() => `${this.name} ${call.what}: cannot reach the ${call.server}`);
        giveUp('no connection', backMs);
        return;
      }
      if (thereMs + backMs >= call.deadlineMs) giveUp('no answer in time', call.deadlineMs);
      const arrive = (): void => {
        if (world.isDown(call.server, this.name)) {
          giveUp('connection refused', backMs);
          return;
        }
        const answer = answerOf(call.serve);
        if (!answer.ok || !call.isRoutine?.(answer.value))
          world.tell(() => `${this.name} ${call.what}${answer.ok ? '' : `: ${answer.why}`}`);
        if (world.faults.happens(`${label}: answer lost`, odds.answerLost)) {
          world.tell(() => `${this.name} never hears the answer of the ${call.server}`);
          giveUp('no answer in time', call.deadlineMs);
          return;
        }
        this.later(backMs, tie, () => {
          if (this.#struck(label)) return;
          if (answer.ok) resolve(answer.value);
          else reject(answer.error);
        });
      };
      world.scheduler.add({ dueMs: world.nowMs + thereMs, tie, run: arrive });
    });
  }

  /** True if the process dies or freezes here, after an answer has arrived and before anything acts on it. */
  #struck(label: string): boolean {
    const { world } = this;
    if (world.faults.happens(`${label}: dies`, odds.death)) {
      this.die(label);
      return true;
    }
    if (world.faults.happens(`${label}: freezes`, odds.freeze)) {
      const ms = new Dice(world.seed, `${label}: frozen`).pick([1000, 7000, 7000, 25_000, 70_000]);
      this.frozenUntilMs = world.nowMs + ms;
      world.tell(() => `${this.name} freezes for ${ms / 1000} s`);
    }
    return false;
  }

  end(): void {
    this.isOver = true;
    this.world.scheduler.drop(this);
  }
}

type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Error; readonly why: string };

function answerOf<T>(serve: () => T): Answer<T> {
  try {
    return { ok: true, value: serve() };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { ok: false, error, why: `${error.name}: ${error.message}` };
  }
}

/** Usually a few milliseconds, rarely most of a second: enough for any two calls to change their order. */
function latencyMs(dice: Dice): number {
  const kind = dice.fraction();
  const max = kind < 0.5 ? 3 : kind < 0.85 ? 20 : kind < 0.98 ? 150 : 800;
  return dice.fraction() * max;
}
