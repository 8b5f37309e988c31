import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const main = join(process.cwd(), 'dist/apps/embedded-eventstore/src/main.js');

/** A test's own embedded store: a real process, to be killed and frozen, on a port that stays the same. */
export class EmbeddedStore {
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  #process: ChildProcess | undefined;
  port = 0;

  private constructor(directory: string, env: NodeJS.ProcessEnv) {
    this.#directory = directory;
    this.#env = env;
  }

  static async start(env: NodeJS.ProcessEnv = {}): Promise<EmbeddedStore> {
    const store = new EmbeddedStore(await mkdtemp(join(tmpdir(), 'pesapost-store-')), env);
    await store.start();
    return store;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [main], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        ...this.#env,
        EMBEDDED_EVENTSTORE_DIR: this.#directory,
        EMBEDDED_EVENTSTORE_PORT: String(this.port),
      },
    });
    this.#process = child;
    this.port = await listeningPort(child);
  }

  /** SIGKILL: nothing is flushed or reported. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** SIGTERM: calls are ended in order. */
  terminate(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** Connections stay open and nothing answers. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    this.thaw();
    await this.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

async function listeningPort(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error('the store has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, port } = JSON.parse(line) as { msg: string; port?: number };
    if (msg === 'listening' && port !== undefined) {
      child.stdout.resume();
      return port;
    }
  }
  throw new Error('the embedded store did not come up: build first');
}
