import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  identify,
  isRunning,
  type NotedIdentity,
  parseIdentity,
  type ProcessIdentity,
} from '#infra/process-lock';
import { lastWords } from './last-words.js';

/** A server could not be started or stopped. The message says what to do, in one line. */
export class ServerError extends Error {
  override readonly name = 'ServerError';
}

export interface ServerProcessOptions {
  /** The name that people use. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Receives the server's output. It is a file, so that a dead parent's pipe does not block the server. */
  readonly logFile: string;
  /** Stores pid and start time, so that a later start finds a left-over server. */
  readonly pidFile: string;
  /** Sent in this order, each after a wait for the previous one. */
  readonly stopSignals: readonly NodeJS.Signals[];
  readonly stopWaitMs: number;
  readonly startDeadlineMs: number;
  /** Resolves if the server answers; called until it does, or throws a ServerError. */
  readonly ready: () => Promise<void>;
  /** Opens an IPC channel, whose end shows a Node program that its parent is gone. */
  readonly channel?: boolean;
  /** Ends the wait for `ready`, and with it the server. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A server that runs as a child process until stopped, and that the next start can find again. execa would replace only
 * the one call of `spawn`: it supports one signal before SIGKILL, but neither a start that waits for an answer nor
 * left-overs.
 */
export class ServerProcess {
  /** Resolves when the process has ended, with a signal's name or its exit code. */
  readonly exited: Promise<string>;

  private constructor(
    private readonly options: ServerProcessOptions,
    private readonly child: ChildProcess,
  ) {
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        resolve(signal ?? `exit ${code ?? 0}`);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** @throws ServerError with the server's own last words if it does not come up */
  static async start(options: ServerProcessOptions): Promise<ServerProcess> {
    await mkdir(dirname(options.logFile), { recursive: true });
    const log = openSync(options.logFile, 'a', 0o600);
    const begunAt = fstatSync(log).size;
    const child = spawn(options.command, options.args, {
      cwd: options.cwd,
      stdio: ['ignore', log, log, ...(options.channel ? (['ipc'] as const) : [])],
      env: { ...process.env, ...options.env },
      ...options.user,
      // A group of its own: Ctrl-C in the terminal goes to the launcher, which stops its servers in order.
      detached: true,
    });
    closeSync(log);
    const failure = new Promise<never>((_resolve, reject) => {
      child.once('error', (error) => {
        reject(new ServerError(`${options.name} cannot be run: ${error.message}`));
      });
      child.once('exit', (code, signal) => {
        reject(
          new ServerError(
            `${options.name} ended at its start (${signal ?? `exit ${code ?? 0}`}): ${lastWords(options.logFile, begunAt)}`,
          ),
        );
      });
    });
    failure.catch(() => undefined);
    const server = new ServerProcess(options, child);
    try {
      const identity = child.pid === undefined ? undefined : await identify(child.pid);
      if (identity) await noteIdentity(options.pidFile, identity);
      await Promise.race([untilReady(options, begunAt), failure]);
      options.signal?.throwIfAborted();
    } catch (error) {
      await server.stop().catch(() => undefined);
      throw error;
    }
    return server;
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    for (const signal of this.options.stopSignals) {
      if (this.#hasEnded()) break;
      this.child.kill(signal);
      await Promise.race([this.exited, sleep(this.options.stopWaitMs, undefined, { ref: false })]);
    }
    if (this.child.pid !== undefined && !this.#hasEnded())
      throw new ServerError(`${this.options.name} (pid ${this.pid}) does not end: stop it by hand`);
    await rm(this.options.pidFile, { force: true });
  }

  #hasEnded(): boolean {
    return (
      this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null
    );
  }
}

/**
 * Stops a server that an earlier, killed run left behind, if pid and start time are those stored: the number alone may
 * belong to another process by now.
 * @returns true if one was stopped
 */
export async function stopLeftOver(
  options: Pick<ServerProcessOptions, 'name' | 'pidFile' | 'stopSignals' | 'stopWaitMs'>,
): Promise<boolean> {
  const identity = await readIdentity(options.pidFile);
  const found = identity !== undefined && (await isRunning(identity));
  if (found) {
    for (const signal of options.stopSignals) {
      if (!(await isRunning(identity))) break;
      killQuietly(identity.pid, signal);
      await untilGone(identity, options.stopWaitMs);
    }
    if (await isRunning(identity))
      throw new ServerError(
        `a left-over ${options.name} (pid ${identity.pid}) does not end: stop it by hand`,
      );
  }
  await rm(options.pidFile, { force: true });
  return found;
}

/** Writes all or nothing: a torn file would hide a left-over server. */
async function noteIdentity(pidFile: string, identity: ProcessIdentity): Promise<void> {
  await writeFile(`${pidFile}.new`, JSON.stringify(identity), { mode: 0o600 });
  await rename(`${pidFile}.new`, pidFile);
}

async function readIdentity(pidFile: string): Promise<NotedIdentity | undefined> {
  const noted = parseIdentity(await readFile(pidFile, 'utf8').catch(() => ''));
  return noted && noted.pid > 1 ? noted : undefined;
}

function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the check and the signal.
  }
}

async function untilGone(identity: NotedIdentity, ms: number): Promise<void> {
  const giveUpAt = performance.now() + ms;
  while (performance.now() < giveUpAt && (await isRunning(identity))) await sleep(50);
}

async function untilReady(options: ServerProcessOptions, begunAt: number): Promise<void> {
  const giveUpAt = performance.now() + options.startDeadlineMs;
  for (;;) {
    options.signal?.throwIfAborted();
    try {
      await options.ready();
      return;
    } catch (error) {
      if (error instanceof ServerError) throw error;
      if (performance.now() > giveUpAt)
        throw new ServerError(
          `${options.name} does not answer after ${options.startDeadlineMs / 1000} s: ${lastWords(options.logFile, begunAt)}`,
          { cause: error },
        );
      await sleep(50);
    }
  }
}
