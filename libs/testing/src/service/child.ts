import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { packageDirectory } from '#postgres';

/** A process of the service under test, started from dist as `npm start` starts it. */
export interface Child {
  readonly app: string;
  readonly pid: number;
  /** What its "listening" line told. */
  readonly ports: { readonly port?: number; readonly adminPort?: number };
  /** Every line that it wrote so far. */
  readonly lines: readonly string[];
  readonly hasEnded: () => boolean;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has ended, with its exit code (null where a signal ended it). */
  readonly ended: Promise<number | null>;
}

const startDeadlineMs = 30_000;

/** Starts an app of dist and waits for its "listening" line. */
export async function startChild(
  app: string,
  env: Readonly<Record<string, string>>,
): Promise<Child> {
  const main = join(packageDirectory('dist'), 'apps', app, 'src', 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    cwd: packageDirectory(),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const lines: string[] = [];
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const ports = await listening(app, child, lines);
  if (child.pid === undefined) throw new Error(`${app} has no process id`);
  return {
    app,
    pid: child.pid,
    ports,
    lines,
    ended,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (signal) => {
      child.kill(signal);
    },
  };
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
