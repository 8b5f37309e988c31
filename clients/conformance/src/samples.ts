import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sampleFile } from '#edges/api-docs';
import { eventually, freePort, inheritedEnvironment } from '#testing';
import { type Language } from './driver.js';

/** The facts that a sample reads: variables of the environment, and keys in files. */
export interface SampleFacts {
  readonly env: Readonly<Record<string, string>>;
  readonly merchantKey: string;
  readonly checkerKey?: string;
}

/** A folder in which a reader runs samples. */
export class SampleFolder {
  private constructor(
    private readonly language: Language,
    private readonly path: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async make(language: Language, facts: SampleFacts): Promise<SampleFolder> {
    const path = await mkdtemp(join(tmpdir(), 'pesapost-samples-'));
    await writeFile(join(path, 'merchant.key'), facts.merchantKey);
    await writeFile(join(path, 'checker.key'), facts.checkerKey ?? '');
    return new SampleFolder(language, path, { ...inheritedEnvironment(), ...facts.env });
  }

  /** Runs a sample, with further variables. @returns its output @throws an error with the output, if it fails */
  async run(name: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
    const [program, words] = this.commandOf(name);
    const options = { cwd: this.path, env: { ...this.env, ...more } };
    return (await promisify(execFile)(program, words, options)).stdout;
  }

  /** Runs a sample that receives webhooks, until it is stopped. */
  async serve(name: string): Promise<SampleServer> {
    const port = await freePort();
    const [program, words] = this.commandOf(name);
    const env = { ...this.env, PORT: String(port) };
    const child = spawn(program, words, { cwd: this.path, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const server = new SampleServer(child, `http://127.0.0.1:${port}/webhooks`);
    await eventually(
      () => server.post('', {}).catch(() => 0),
      (status) => status !== 0,
    );
    return server;
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }

  private commandOf(name: string): readonly [program: string, words: string[]] {
    const { folder, run } = this.language.samples;
    const [program = '', ...words] = run;
    return [program, [...words, sampleFile(folder, name)]];
  }
}

export class SampleServer {
  /** The output, and the errors that PHP's server logs. */
  printed = '';

  constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text;
      });
  }

  /** Returns the status of the answer. */
  async post(body: string, headers: Record<string, string>): Promise<number> {
    return (await fetch(this.url, { method: 'POST', body, headers })).status;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
