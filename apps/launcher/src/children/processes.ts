import { type Metrics } from '#infra/runtime';
import { type Monitored } from '../admin/admin-server.js';
import { type DataDirectory } from '../data-directory/data-directory.js';
import { type Running, Supervised } from './supervised.js';
import { Watch } from './watch.js';

/** The order in which the processes stop: first those that accept work, last the servers that the work needs. */
const stages = ['requests', 'background work', 'rail', 'servers'] as const;
export type Stage = (typeof stages)[number];

export interface ProcessOptions {
  /** The name in `ps`. */
  readonly name: string;
  /** The name in health and metrics. */
  readonly process: string;
  readonly stage: Stage;
  readonly logFile: string;
  readonly adminUrl?: string;
  readonly start: (signal: AbortSignal) => Promise<Running>;
  /** Rejects if the process does not answer in time; absent if there is no cheap check. */
  readonly look?: () => Promise<void>;
  /** Ends a process that does not answer; SIGKILL if absent. */
  readonly end?: (pid: number) => Promise<void>;
}

/** The name, log file and stage of a process, the same everywhere. */
export function described(directory: DataDirectory, process: string, stage: Stage) {
  const isServer = process === 'postgres' || process === 'redis';
  const name = isServer ? process : `pesapost-${process}`;
  return { name, process, stage, logFile: directory.logFile(process) };
}

/** One of our processes without a connection to the records: the launcher writes its heartbeat. */
export interface Mute {
  readonly process: string;
  readonly pid: number;
}

/** All processes of one `npm start`, kept running until they are stopped together. */
export class Processes {
  readonly #running: {
    readonly options: ProcessOptions;
    readonly supervised: Supervised;
    readonly watch: Watch | undefined;
  }[] = [];
  readonly #restarts;

  constructor(
    private readonly say: (line: string) => void,
    /** Aborted if the whole start is given up. */
    private readonly signal: AbortSignal,
    metrics: Metrics,
  ) {
    this.#restarts = metrics.counter({
      name: 'child_restarts_total',
      help: 'Processes that died and were started again',
      labels: ['child'],
    });
  }

  /**
   * Starts all of them together.
   * @throws the first failure, when all have either started or failed
   */
  async startAll(wanted: readonly ProcessOptions[]): Promise<void> {
    const outcomes = await Promise.allSettled(wanted.map((options) => this.#start(options)));
    this.signal.throwIfAborted();
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  get monitored(): readonly Monitored[] {
    return this.#running.map(({ options: { process, adminUrl }, supervised, watch }) => ({
      process,
      isRunning: () => supervised.isRunning,
      isUp: () => watch?.isUp ?? supervised.isRunning,
      ...(adminUrl !== undefined && { adminUrl }),
    }));
  }

  /** Our own processes that run, answered their last check, and cannot write heartbeats themselves. */
  get mute(): readonly Mute[] {
    return this.#running.flatMap(({ options: { name, process, adminUrl }, supervised, watch }) => {
      const isOurs = name === `pesapost-${process}`;
      const { pid } = supervised;
      const answers = watch?.isUp ?? true;
      return isOurs && adminUrl === undefined && answers && pid !== undefined
        ? [{ process, pid }]
        : [];
    });
  }

  /** Checks every process once. A process that stays silent is ended, and so restarts. */
  async lookOnce(): Promise<void> {
    await Promise.all(this.#running.flatMap(({ watch }) => (watch ? [watch.lookOnce()] : [])));
  }

  get logFiles(): readonly string[] {
    return this.#running.map(({ options }) => options.logFile);
  }

  /** Stops stage by stage. If a process does not end, it prints that and goes on with the next stage. */
  async stopAll(): Promise<void> {
    for (const stage of stages) {
      const ofStage = this.#running.filter(({ options }) => options.stage === stage);
      await Promise.all(
        ofStage.map(({ supervised }) =>
          supervised.stop().catch((error: unknown) => {
            this.say(error instanceof Error ? error.message : String(error));
          }),
        ),
      );
    }
  }

  async #start(options: ProcessOptions): Promise<void> {
    const { name, process, logFile, start } = options;
    this.#restarts.inc({ child: process }, 0);
    const supervised = await Supervised.start(
      {
        name,
        logFile,
        start,
        say: this.say,
        onRestart: () => {
          this.#restarts.inc({ child: process });
        },
      },
      this.signal,
    );
    const { look, end } = options;
    const watch = look && this.#watch(name, supervised, { look, end });
    this.#running.push({ options, supervised, watch });
  }

  #watch(
    name: string,
    supervised: Supervised,
    { look, end }: Required<Pick<ProcessOptions, 'look'>> & { end: ProcessOptions['end'] },
  ): Watch {
    return new Watch({
      name,
      pid: () => supervised.pid,
      look,
      kill:
        end ??
        ((pid) => {
          process.kill(pid, 'SIGKILL');
        }),
      say: this.say,
      now: () => new Date(),
    });
  }
}
