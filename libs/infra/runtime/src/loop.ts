import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, DeadlineExceeded, withDeadline } from './deadline.js';
import { type Logger } from './logger.js';
import { type Metrics } from './metrics.js';

export interface LoopOptions {
  /** Names the loop in logs and metrics. */
  readonly name: string;
  /**
   * One step of bounded work. `busy`: there is more, continue at once. `idle`: wait `idleMs`. The signal is aborted
   * when the loop is stopped; a long step should check it.
   */
  readonly step: (signal: AbortSignal) => Promise<'idle' | 'busy'>;
  readonly idleMs: number;
  /** The longest pause after consecutive failures. */
  readonly maxBackoffMs: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The time for which `stop` waits for the step in flight. */
  readonly stopDeadlineMs?: number;
  /**
   * The loop counts as stalled if it has tried for this long to complete a step (OPS-64): five minutes, unless a step of
   * a loop that is well may take longer. Infinity: never.
   */
  readonly stalledAfterMs?: number;
}

/** Steps are short. Five minutes are many failures, or a call without a deadline. */
const defaultStalledAfterMs = 300_000;

/** The loops that each process has started. Its metrics identify the process. */
const startedLoops = new WeakMap<Metrics, readonly Loop[]>();

/** Returns the names of the process's loops that complete no step. @param metrics the process's own */
export function stalledLoops(metrics: Metrics): readonly string[] {
  const loops = startedLoops.get(metrics) ?? [];
  return loops.filter((loop) => loop.isStalled()).map(({ name }) => name);
}

/** Repeats a step until stopped, even if the step throws: errors are logged, counted and backed off. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #wake = new AbortController();
  /** The start of the step that is not completed yet, or of its first try; undefined between two steps. */
  #triedSinceMs: number | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Starting twice is one start; a stopped loop does not start again. */
  start(): void {
    if (this.#stopped() || this.#running) return;
    const { metrics } = this.#options;
    startedLoops.set(metrics, [...(startedLoops.get(metrics) ?? []), this]);
    this.#running = this.#run();
  }

  /** True if the loop has tried for too long to complete a step: the step hangs, or fails each time. */
  isStalled(): boolean {
    const { stalledAfterMs = defaultStalledAfterMs } = this.#options;
    if (this.#stopped() || this.#triedSinceMs === undefined) return false;
    return performance.now() - this.#triedSinceMs > stalledAfterMs;
  }

  /** Ends an idle pause now, because there is work. */
  wake(): void {
    this.#wake.abort();
  }

  /** Waits for the step in flight, at most `stopDeadlineMs`. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#wake.abort();
    if (!this.#running) return;
    const { name, logger, stopDeadlineMs = 10_000 } = this.#options;
    try {
      await withDeadline(this.#running, stopDeadlineMs, `loop ${name} did not end its step`);
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
      logger.warn({ loop: name }, error.message);
    }
  }

  #stopped(): boolean {
    return this.#abort.signal.aborted;
  }

  async #run(): Promise<void> {
    const { name, step, idleMs, maxBackoffMs, logger, metrics } = this.#options;
    const errors = metrics.counter({
      name: 'loop_errors_total',
      help: 'Steps of background loops that failed',
      labels: ['loop'],
    });
    errors.inc({ loop: name }, 0);
    let failures = 0;
    while (!this.#stopped()) {
      this.#triedSinceMs ??= performance.now();
      try {
        const outcome = await step(this.#abort.signal);
        failures = 0;
        this.#triedSinceMs = undefined;
        // A step that is always busy must not starve timers and sockets.
        await (outcome === 'idle' ? this.#pause(idleMs) : yieldToEvents());
      } catch (error) {
        if (this.#stopped()) break;
        failures += 1;
        errors.inc({ loop: name });
        logger.error({ loop: name, failures, err: error }, 'a step of the loop failed');
        // A wake reports work, not health, so it does not shorten a back-off.
        await this.#pauseUntilStopped(
          backoffMs(failures, Math.min(100, maxBackoffMs), maxBackoffMs),
        );
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    if (!this.#wake.signal.aborted)
      await sleep(ms, undefined, { signal: this.#wake.signal }).catch(() => undefined);
    if (!this.#stopped()) this.#wake = new AbortController();
  }

  async #pauseUntilStopped(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }
}

function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
