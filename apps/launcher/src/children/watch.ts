/** A process with a check. */
export interface Watched {
  /** The name in lines for people. */
  readonly name: string;
  /** Its process id while it runs. */
  readonly pid: () => number | undefined;
  /** Rejects if the process does not answer in time. */
  readonly look: () => Promise<void>;
  /** Ends the process, which may be frozen. */
  readonly kill: (pid: number) => unknown;
  /** Shows a line to the person at the terminal. */
  readonly say: (line: string) => void;
  readonly now: () => Date;
}

/**
 * A busy machine makes a process slow, not dead. A check may take five seconds and five seconds lie between two checks,
 * so a process must be silent for more than half a minute.
 */
const maxFailedLooks = 4;

/** Watches one process. If it runs but does not answer several checks, it is ended so that it starts again. */
export class Watch {
  #failed = 0;
  #silentSince: Date | undefined;
  #isEnding = false;

  constructor(private readonly watched: Watched) {}

  /** True if the process answered its last check. */
  get isUp(): boolean {
    return this.#failed === 0 && this.watched.pid() !== undefined;
  }

  /** Checks the process once. A process that is starting is left alone. */
  async lookOnce(): Promise<void> {
    const { name, pid: pidOf, look, kill, say, now } = this.watched;
    const pid = pidOf();
    if (pid === undefined || this.#isEnding) return;
    try {
      await look();
    } catch {
      // The process may have ended or been replaced during the check.
      if (pidOf() !== pid) return;
      this.#silentSince ??= now();
      this.#failed += 1;
      if (this.#failed < maxFailedLooks) return;
      say(
        `${name} (pid ${pid}) has not answered since ${clockTime(this.#silentSince)}; it is ended and started again`,
      );
      this.#isEnding = true;
      try {
        await kill(pid);
      } finally {
        this.#isEnding = false;
      }
      this.#failed = 0;
      return;
    }
    this.#failed = 0;
    if (this.#silentSince === undefined) return;
    const seconds = Math.round((now().getTime() - this.#silentSince.getTime()) / 1000);
    say(`${name} answers again since ${clockTime(now())}, after ${seconds} s`);
    this.#silentSince = undefined;
  }
}

function clockTime(at: Date): string {
  return at.toTimeString().slice(0, 8);
}
