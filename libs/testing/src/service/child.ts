import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageDirectory } from '#infra/runtime';
import { inheritedEnvironment } from './inherited-environment.js';

/** A process of the service under test, started from dist like `npm start` does. */
export interface Spawned {
  readonly app: string;
  readonly pid: number;
  /** All lines that it wrote so far. */
  readonly lines: readonly string[];
  readonly hasEnded: () => boolean;
  /** Resolves when the process has ended, with its exit code (null if a signal ended it). */
  readonly ended: Promise<number | null>;
  /** The signal that ended it, if one did. */
  readonly endedBy: () => NodeJS.Signals | null;
  /** Resolves with the same process once it listens; rejects if it ends before or takes too long. */
  readonly up: Promise<Child>;
  signal(signal: NodeJS.Signals): void;
}

/** A process that has come up. */
export interface Child extends Spawned {
  /** The ports in its "listening" line. */
  readonly ports: { readonly port?: number; readonly adminPort?: number };
}

const startDeadlineMs = 90_000;

/** Starts an app of dist and waits for its "listening" line. */
export function startChild(app: string, env: Readonly<Record<string, string>>): Promise<Child> {
  return spawnChild(app, env).up;
}

/**
 * Starts an app of dist that may end before it listens.
 * @param words its arguments
 * @param release the package's folder; this one's unless given
 */
export function spawnChild(
  app: string,
  env: Readonly<Record<string, string>>,
  words: readonly string[] = [],
  release = packageDirectory(),
): Spawned {
  const main = join(release, 'dist', 'apps', app, 'src', 'main.js');
  const child = spawn(process.execPath, [main, ...words], {
    cwd: release,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Without a load balancer, no client has to learn first that the process ends.
    env: { ...inheritedEnvironment(), DRAIN_DELAY: '0', ...env },
  });
  if (child.pid === undefined) throw new Error(`${app} has no process id`);
  const lines: string[] = [];
  // At `close`, not at `exit`: its last lines have been read by then.
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const spawned = {
    app,
    pid: child.pid,
    lines,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    endedBy: () => child.signalCode,
    signal: (signal: NodeJS.Signals) => {
      child.kill(signal);
    },
  };
  const up: Promise<Child> = listening(app, child, lines).then((ports) => ({
    ...spawned,
    up,
    ports,
  }));
  // The caller that awaits it gets the reason for the failure, but no caller has to await it.
  up.catch(() => undefined);
  return { ...spawned, up };
}

function listening(app: string, child: ChildProcess, lines: string[]): Promise<Child['ports']> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      child.kill('SIGKILL');
      reject(new Error(`${app} ${why}:\n${lines.slice(-20).join('\n')}`));
    };
    const patience = setTimeout(() => {
      fail('did not come up in time');
    }, startDeadlineMs);
    child.once('exit', (code) => {
      clearTimeout(patience);
      fail(`ended with ${String(code)}`);
    });
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const ports = portsOf(line);
        if (!ports) return;
        clearTimeout(patience);
        resolve(ports);
      });
    }
  });
}

function portsOf(line: string): Child['ports'] | undefined {
  if (!line.includes('"listening"')) return undefined;
  const { port, adminPort } = JSON.parse(line) as { port?: number; adminPort?: number };
  return {
    ...(port === undefined ? {} : { port }),
    ...(adminPort === undefined ? {} : { adminPort }),
  };
}
