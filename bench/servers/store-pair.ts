import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, type ServerProcess } from '#infra/local-servers';
import { startEventStore, type StoreServer } from './event-store.js';
import { type Fixture } from './fixture.js';

export type Fault = 'killed' | 'frozen';

/** Files of a running store that its copy must not have: they name its process. */
const ofTheProcess = /^(owner\.json|lock\.mdb)/;

/**
 * Two addresses of one log. If the node at one of them fails, another node takes over at the other address, with
 * everything that was on the failed node's disk: a cluster's leader has acknowledged nothing else.
 */
export class StorePair {
  #leader: ServerProcess;
  #directory: string;
  #deposed: ServerProcess | undefined;
  #next = 1;

  private constructor(
    private readonly fixture: Fixture,
    private readonly ports: readonly [number, number],
    /** The first leader, and the URL of both. */
    readonly store: StoreServer,
  ) {
    this.#leader = store.process;
    this.#directory = store.directory;
  }

  static async start(fixture: Fixture): Promise<StorePair> {
    const ports = [await freePort(), await freePort()] as const;
    const first = await startEventStore(fixture, { port: ports[0] });
    const [one, other] = ports.map((port) => `127.0.0.1:${port}`);
    const url = `esdb://${one},${other}?tls=false`;
    return new StorePair(fixture, ports, { ...first, url });
  }

  /**
   * The leader fails, and the other node leads.
   * @returns milliseconds until it did
   */
  async changeLeader(fault: Fault): Promise<number> {
    const begunAt = performance.now();
    const failed = this.#leader;
    process.kill(failed.pid, fault === 'killed' ? 'SIGKILL' : 'SIGSTOP');
    if (fault === 'killed') await failed.exited;
    else this.#deposed = failed;
    const directory = join(await this.fixture.folder('taken-over'), 'data');
    await cp(this.#directory, directory, {
      recursive: true,
      filter: (path) => !ofTheProcess.test(basename(path)),
    });
    const port = this.ports[this.#next % 2] ?? 0;
    this.#next += 1;
    this.#directory = directory;
    this.#leader = (await startEventStore(this.fixture, { directory, port })).process;
    return performance.now() - begunAt;
  }

  /**
   * The frozen node goes on, finds that it leads no more, and ends, as a node does that must truncate its log. Without a
   * majority it commits nothing, so subscribers get nothing of what it was about to write. Here the system refuses every
   * byte that it writes, those of its own log included.
   */
  async continueDeposed(): Promise<void> {
    const deposed = this.#deposed;
    if (!deposed) return;
    this.#deposed = undefined;
    await promisify(execFile)('prlimit', [`--pid=${deposed.pid}`, '--fsize=0:']);
    process.kill(deposed.pid, 'SIGTERM');
    process.kill(deposed.pid, 'SIGCONT');
    await deposed.exited;
  }

  async stop(): Promise<void> {
    await this.continueDeposed();
    await this.#leader.stop();
  }
}
