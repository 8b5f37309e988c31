import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll } from '@jest/globals';

const here = import.meta.dirname;
/** Runs the sources: the module of a relative import, and the target of `#…` in package.json. */
const SOURCES = ['--conditions=source', '--import', join(here, 'typescript-loader.mjs')];
const MAIN = join(here, '../src/main.ts');

export interface StartOptions {
  /** Data directory; by default a new one, which `removeDirectories` removes. */
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Words in front of the command line, such as a shell that sets limits. */
  readonly wrapper?: readonly string[];
  /** Keeps an IPC channel to the process, as the launcher does. */
  readonly ipc?: boolean;
}

export interface StoreProcess {
  readonly directory: string;
  readonly port: number;
  readonly child: ChildProcess;
  readonly client: EventStoreDBClient;
  /** Log lines so far, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Signals the process and resolves with its exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

const directories: string[] = [];
const processes = new Set<ChildProcess>();

export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'pesapost-embedded-eventstore-'));
  directories.push(directory);
  return directory;
}

/** Ends the processes that a spec has left running and removes its directories. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...processes].map((child) => ended(child, 'SIGKILL')));
  for (const directory of directories.splice(0))
    rmSync(directory, { recursive: true, force: true });
}

export function connect(port: number): EventStoreDBClient {
  return EventStoreDBClient.connectionString(
    `esdb://127.0.0.1:${port.toString()}?tls=false&defaultDeadline=60000`,
  );
}

export function spawnStore(options: StartOptions & { readonly directory: string }): ChildProcess {
  const command = [...(options.wrapper ?? []), process.execPath, ...SOURCES, MAIN];
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    env: {
      ...process.env,
      EMBEDDED_EVENTSTORE_DIR: options.directory,
      EMBEDDED_EVENTSTORE_PORT: '0',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc === true ? ['ipc' as const] : [])],
  });
  processes.add(child);
  child.once('exit', () => processes.delete(child));
  return child;
}

/** Starts a store and resolves when it listens; otherwise rejects with its output on stderr. */
export async function startStore(options: StartOptions = {}): Promise<StoreProcess> {
  const directory = options.directory ?? freshDirectory();
  const child = spawnStore({ ...options, directory });
  const lines: Record<string, unknown>[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    let complaint = '';
    child.stderr?.on('data', (text: Buffer) => (complaint += text.toString()));
    child.once('exit', () => {
      reject(new Error(`the store did not start: ${complaint}`));
    });
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const parsed = JSON.parse(line) as Record<string, unknown>;
      lines.push(parsed);
      if (parsed['msg'] === 'listening') resolve(Number(parsed['port']));
    });
  });
  return {
    directory,
    port,
    child,
    lines,
    client: connect(port),
    end: (signal) => ended(child, signal),
  };
}

function ended(
  child: ChildProcess,
  signal: NodeJS.Signals,
): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve(child.exitCode ?? child.signalCode);
  }
  return new Promise((resolve) => {
    child.once('exit', (code, by) => {
      resolve(code ?? by);
    });
    child.kill(signal);
  });
}

/**
 * Runs one store for a spec's tests and stops it after them.
 * @param started called with it before the first test
 */
export function useStore(started: (store: StoreProcess) => void | Promise<void>): void {
  let store: StoreProcess;
  beforeAll(async () => {
    store = await startStore();
    await started(store);
  });
  afterAll(async () => {
    await store.client.dispose();
    await cleanUp();
  });
}
