import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Metrics } from '#infra/runtime';
import { Processes, type ProcessOptions } from './children/processes.js';
import { DataDirectory } from './data-directory/data-directory.js';
import { embeddedEventStore, embeddedPostgres, embeddedRedis } from './embedded-servers.js';

let folder: string;
let directory: DataDirectory;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pesapost-embedded-'));
  // Others may pass, because under root Postgres runs as another user.
  await chmod(folder, 0o711);
  directory = await DataDirectory.open(join(folder, 'data'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function childrenOf(pid: number): readonly number[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = listed
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  return rows.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []));
}

/** More than a server may miss before it is ended. */
const looks = 8;

it('a frozen event store, Postgres or Redis is named, ended and started again', async () => {
  const said: string[] = [];
  const { signal } = new AbortController();
  const processes = new Processes((line) => said.push(line), signal, new Metrics());
  const servers = await Promise.all([
    embeddedEventStore(directory),
    embeddedPostgres(directory),
    embeddedRedis(directory, () => undefined),
  ]);
  const watched = servers.map(({ process: options }) => new Counted(options));
  try {
    await processes.startAll(watched.map(({ counted }) => counted));
    const first = watched.map(({ pids: [pid = 0] }) => pid);
    for (const pid of first.flatMap((each) => [each, ...childrenOf(each)]))
      process.kill(pid, 'SIGSTOP');
    const silent = watched.map(
      ({ counted: { name } }, at) => `${name} (pid ${first[at] ?? 0}) has not answered since `,
    );
    const unnamed = () => silent.filter((start) => !said.some((line) => line.startsWith(start)));
    for (let look = 0; look < looks && unnamed().length > 0; look += 1) await processes.lookOnce();
    expect(unnamed()).toEqual([]);
    await Promise.all(watched.map(({ startedAgain }) => startedAgain));
    await Promise.all(watched.map(async ({ counted }) => counted.look?.()));
  } finally {
    await processes.stopAll();
  }
});

/** Counts a process's starts. */
class Counted {
  readonly pids: number[] = [];
  readonly startedAgain: Promise<void>;
  readonly counted: ProcessOptions;

  constructor(options: ProcessOptions) {
    let again = (): void => undefined;
    this.startedAgain = new Promise((resolve) => {
      again = resolve;
    });
    const start: ProcessOptions['start'] = async (signal) => {
      const running = await options.start(signal);
      if (this.pids.push(running.pid) > 1) again();
      return running;
    };
    this.counted = { ...options, start };
  }
}
