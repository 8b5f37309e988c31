import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { createInterface } from 'node:readline';
import { packageDirectory } from '#infra/runtime';
import { inheritedEnvironment } from '#testing';

/** A JSON object. Amounts are digits in it. */
export type Json = Readonly<Record<string, unknown>>;

/** The driver of the C# client. */
export const csharpDriver = 'dist/clients/csharp/bin/PesaPost.Driver/release/PesaPost.Driver.dll';
const csharpSamples = 'dist/clients/csharp/bin/PesaPost.Samples/release/PesaPost.Samples.dll';

/** A client and the program that drives it. */
export interface Language {
  readonly name: string;
  readonly program: string;
  readonly words: readonly string[];
  /** The folder in clients/samples, and the program that runs a sample, whose file is its last word. */
  readonly samples: { readonly folder: string; readonly run: readonly string[] };
}

const driverOf = (file: string) => packageDirectory(`clients/conformance/drivers/${file}`);

const pythonSettings = [
  `PYTHONPATH=${packageDirectory('clients/python/src')}`,
  'PYTHONDONTWRITEBYTECODE=1',
];

/** Returns the class path of the Java client and a program that uses it. */
const javaClasses = (program: string) =>
  ['client', program].map((name) => packageDirectory(`dist/clients/java/${name}`)).join(delimiter);

/** Debian's Python and PHP have the packages that apt installs. `npm run test:clients` builds the other programs. */
export const languages: readonly Language[] = [
  {
    name: 'TypeScript',
    program: process.execPath,
    words: [driverOf('typescript/driver.ts')],
    samples: {
      folder: 'typescript',
      run: [process.execPath, packageDirectory('clients/samples/typescript/run.ts')],
    },
  },
  {
    name: 'Python',
    program: '/usr/bin/python3',
    words: [driverOf('python/driver.py')],
    samples: { folder: 'python', run: ['/usr/bin/env', ...pythonSettings, '/usr/bin/python3'] },
  },
  {
    name: 'Go',
    program: packageDirectory('dist/clients/go-driver'),
    words: [],
    samples: { folder: 'go', run: [packageDirectory('dist/clients/go-samples')] },
  },
  {
    name: 'PHP',
    program: '/usr/bin/php',
    words: [driverOf('php/driver.php')],
    samples: { folder: 'php', run: ['/usr/bin/php'] },
  },
  {
    // A reference begins with the name, so it has no # in it.
    name: 'CSharp',
    program: 'dotnet',
    words: [packageDirectory(csharpDriver)],
    samples: { folder: 'csharp', run: ['dotnet', packageDirectory(csharpSamples)] },
  },
  {
    name: 'Java',
    program: 'java',
    words: ['-cp', javaClasses('driver'), 'Driver'],
    samples: { folder: 'java', run: ['java', '-cp', javaClasses('samples'), 'Client'] },
  },
];

/** The failure that a driver reports. */
export class DriverError extends Error {
  constructor(readonly facts: Json) {
    super(JSON.stringify(facts));
  }
}

interface Pending {
  readonly resolve: (value: Json) => void;
  readonly reject: (error: Error) => void;
}

/** A running driver. Requests may be sent at the same time. */
export class Driver {
  private readonly pending = new Map<number, Pending>();
  private readonly child: ChildProcess;
  private last = 0;

  constructor({ program, words }: Language) {
    this.child = spawn(program, words, {
      cwd: packageDirectory(),
      env: inheritedEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (this.child.stdout)
      createInterface({ input: this.child.stdout }).on('line', (line) => {
        this.read(line);
      });
    const ended = () => {
      for (const { reject } of this.pending.values()) reject(new Error('the driver has ended'));
    };
    this.child.once('error', ended).once('exit', ended);
  }

  /** @throws DriverError with the failure that the driver reports */
  request(op: string, args: Json): Promise<Json> {
    this.last += 1;
    const id = this.last;
    this.child.stdin?.write(`${JSON.stringify({ id, op, args })}\n`);
    return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private read(line: string): void {
    const { id, ok, error } = JSON.parse(line) as { id: number; ok?: Json; error?: Json };
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    if (error === undefined) waiting?.resolve(ok ?? {});
    else waiting?.reject(new DriverError(error));
  }
}
