import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '#infra/runtime';

/** A process that runs now. */
export interface Running {
  readonly pid: number;
  /** Resolves when the process has ended, with the signal's name or the exit code. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

export interface SupervisedOptions {
  /** The name in `ps` and in the logs. */
  readonly name: string;
  readonly logFile: string;
  /** Starts the process, again after each time that it ended. The signal aborts a start that is no longer wanted. */
  readonly start: (signal: AbortSignal) => Promise<Running>;
  /** Shows a line to the person at the terminal. */
  readonly say: (line: string) => void;
  readonly onRestart?: () => void;
}

/** The first restart comes within a second. */
const firstDelayMs = 800;
const maxDelayMs = 15_000;
/** A process that ran this long has recovered from its earlier failure. */
const calmMs = 60_000;

/**
 * Keeps one process running until it is stopped. A process that ended starts again after a backoff, and a line says so.
 */
export class Supervised {
  readonly name: string;
  readonly #options: SupervisedOptions;
  readonly #stopping = new AbortController();
  #running: Running | undefined;
  #watch: Promise<void> = Promise.resolve();

  private constructor(options: SupervisedOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /**
   * Starts the process for the first time.
   * @throws the error that prevents the start; nothing is left running then
   */
  static async start(options: SupervisedOptions, signal: AbortSignal): Promise<Supervised> {
    const supervised = new Supervised(options);
    const running = await options.start(signal);
    supervised.#running = running;
    supervised.#watch = supervised.#keepRunning(running);
    return supervised;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Its process id while it runs. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** Resolves when the process has ended and will not start again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running?.stop();
    await this.#watch;
  }

  async #keepRunning(first: Running): Promise<void> {
    let failures = 0;
    for (let running: Running | undefined = first; running; running = this.#running) {
      const startedAt = performance.now();
      const how = await running.exited;
      this.#running = undefined;
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - startedAt > calmMs) failures = 0;
      failures += 1;
      const { name, logFile, say } = this.#options;
      say(`${name} ended (${how}) and is started again; its log: ${logFile}`);
      failures = await this.#startAgain(failures);
    }
  }

  /** @returns the number of failures in a row so far */
  async #startAgain(failures: number): Promise<number> {
    const { name, start, say, onRestart } = this.#options;
    const { signal } = this.#stopping;
    let said = '';
    for (let failed = failures; ; failed += 1) {
      try {
        await sleep(backoffMs(failed, firstDelayMs, maxDelayMs), undefined, { signal });
        const running = await start(signal);
        onRestart?.();
        if (signal.aborted) await running.stop();
        else this.#running = running;
        return failed;
      } catch (error) {
        if (signal.aborted) return failed;
        const line = `${name} does not start: ${error instanceof Error ? error.message : String(error)}`;
        if (line !== said) say(line);
        said = line;
      }
    }
  }
}
