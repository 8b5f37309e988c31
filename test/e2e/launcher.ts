import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generalAvailability } from '#testing';

/** The demo's credentials file (OPS-9). */
export interface Demo {
  readonly base_url: string;
  readonly admin_url: string;
  readonly simulator_url: string;
  readonly airtel_simulator_url: string;
  readonly merchant_id: string;
  readonly timezone: string;
  readonly v4: Readonly<Record<string, string>>;
  readonly v4_checker: Readonly<Record<string, string>>;
  readonly webhook_receiver_url: string;
  readonly v3: Readonly<Record<string, string>>;
  readonly portal: {
    readonly url: string;
    readonly people: readonly Readonly<Record<string, string>>[];
  };
}

const main = join(process.cwd(), 'dist/apps/launcher/src/main.js');
/** A first start makes a Postgres cluster, and a machine with two cores may be busy. */
const readyDeadlineMs = 240_000;

/** The launcher as `npm start` runs it, on a data directory and ports of its own. */
export class LauncherRun {
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';
  readonly exited: Promise<number | NodeJS.Signals>;

  constructor(
    readonly dataDir: string,
    env: Readonly<Record<string, string>> = {},
  ) {
    this.#child = spawn(process.execPath, [main], {
      env: { ...outsideEnvironment(), DATA_DIR: dataDir, ...freePorts, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (text: Buffer) => (this.#stdout += text.toString()));
    this.#child.stderr?.on('data', (text: Buffer) => (this.#stderr += text.toString()));
    this.exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        resolve(signal ?? code ?? 0);
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Its output for the person at the terminal, line by line. */
  get lines(): readonly string[] {
    return this.#stdout.split('\n').filter((line) => line !== '');
  }

  get complaints(): readonly string[] {
    return this.#stderr.split('\n').filter((line) => line !== '');
  }

  get demo(): Demo {
    return JSON.parse(readFileSync(join(this.dataDir, 'demo.json'), 'utf8')) as Demo;
  }

  /** Returns the whole line `ready <base_url>`. @throws with the output if it does not come */
  async ready(): Promise<string> {
    let ended = false;
    void this.exited.then(() => (ended = true));
    const line = await eventually(
      () => this.lines.find((candidate) => candidate.startsWith('ready ')) ?? (ended || undefined),
      readyDeadlineMs,
    );
    if (typeof line !== 'string')
      throw new Error(`no ready line:\n${this.#stdout}\n${this.#stderr}`);
    return line;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The launcher's children by name, from their files in the data directory. */
  childPids(): ReadonlyMap<string, number> {
    const ending = '.pid.json';
    const notes = readdirSync(this.dataDir).filter((name) => name.endsWith(ending));
    return new Map(
      notes.flatMap((name) => {
        const text = ifThere(join(this.dataDir, name));
        if (text === undefined) return [];
        const { pid } = JSON.parse(text) as { pid: number };
        return [[name.slice(0, -ending.length), pid] as const];
      }),
    );
  }
}

/** Undefined if the file is gone: a child may end between the listing and the reading. */
function ifThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const freePorts = {
  PORT: '0',
  ADMIN_PORT: '0',
  SIMULATOR_PORT: '0',
  SIMULATOR_AIRTEL_PORT: '0',
};

/** Excludes the run's own servers, which belong to the other specs; a real event store from outside is used. */
function outsideEnvironment(): Record<string, string | undefined> {
  const { DATABASE_URL: _database, REDIS_URL: _redis, MASTER_KEY: _key, ...rest } = process.env;
  if (rest['PESAPOST_TEST_EVENTSTORE'] !== undefined) delete rest['EVENTSTORE_URL'];
  return { ...rest, ...generalAvailability, LOG_LEVEL: 'info' };
}

/** A data directory that another user, such as Postgres', can enter. */
export function temporaryDataDir(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'pesapost-e2e-'));
  chmodSync(path, 0o711);
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended; its parent has not collected it yet.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3));
  } catch {
    return false;
  }
}

/** Repeats until the answer is neither undefined nor false. @returns undefined if it never was */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  deadlineMs: number,
): Promise<T | undefined> {
  const giveUpAt = performance.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > giveUpAt) return undefined;
    await sleep(50);
  }
}
