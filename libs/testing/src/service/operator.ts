import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/postgres';
import { withKeyFile } from '../rsa-keys.js';
import { inheritedEnvironment } from './inherited-environment.js';
import { type MerchantCredentials } from './merchant-client.js';

const run = promisify(execFile);
const commandDeadlineMs = 180_000;

const main = (): string => join(packageDirectory('dist'), 'apps/cli/src/main.js');
const optionsOf = (env: Readonly<Record<string, string>>) => ({
  cwd: packageDirectory(),
  env: { ...inheritedEnvironment(), ...env },
  timeout: commandDeadlineMs,
});

/** Runs a command line as an operator does and parses its JSON. */
export async function pesapost(
  env: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<Record<string, string>> {
  const { stdout } = await run(process.execPath, [main(), ...words, '--json'], optionsOf(env));
  return JSON.parse(stdout) as Record<string, string>;
}

/** The outcome of a command for the operator. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line as a person types it; it may be refused. */
export function typed(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const done = [process.execPath, [main(), ...words], optionsOf(env)] as const;
    execFile(...done, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

type Answer = Readonly<Record<string, string>>;

/** Runs a command line and parses its JSON. */
type Operate = (...words: readonly string[]) => Promise<Answer>;

/** Reads a command per line, and ends each one's JSON with an empty line. */
const manyCommands = `
  import { createInterface } from 'node:readline';
  const { program } = await import(process.argv[1]);
  for await (const line of createInterface({ input: process.stdin })) {
    await program.parseAsync(JSON.parse(line), { from: 'user' });
    process.stdout.write('\\n\\n');
  }`;

/** Runs command lines one after the other in one process: starting takes most of a command's time. */
async function operating<T>(
  env: Readonly<Record<string, string>>,
  work: (operate: Operate) => Promise<T>,
): Promise<T> {
  const program = pathToFileURL(join(packageDirectory('dist'), 'apps/cli/src/program.js')).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', manyCommands, program], {
    ...optionsOf(env),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const operate: Operate = async (...words) => {
    child.stdin.write(`${JSON.stringify([...words, '--json'])}\n`);
    const json: string[] = [];
    for (;;) {
      const next = await lines.next();
      if (next.done) throw new Error(`pesapost ${words.join(' ')} ended without an answer`);
      if (next.value !== '') json.push(next.value);
      else if (json.length > 0) return JSON.parse(json.join('')) as Answer;
    }
  };
  try {
    return await work(operate);
  } finally {
    child.stdin.end();
    await ended;
  }
}

/** A merchant in demo mode with one account, a fee of 150 basis points and one credential. */
export function onboardMerchant(
  env: Readonly<Record<string, string>>,
): Promise<MerchantCredentials> {
  return operating(env, async (operate) => {
    const why = ['--reason', 'test', '--as', 'spec'];
    const created = await operate('merchant', 'create', '--name', 'Duka Moja', ...why);
    const merchantId = created['merchant_id'] ?? '';
    const of = ['--merchant', merchantId, '--mode', 'demo', ...why];
    const account = await operate('account', 'open', '--currency', 'KES', ...of);
    await operate('fee', 'set', '--basis-points', '150', ...of);
    const credential = await issue(operate, merchantId, 'till');
    return { merchantId, accountNo: account['account_no'] ?? '', ...credential };
  });
}

/** A V4 credential of the merchant, in demo mode, for that holder. */
export function issueCredential(
  env: Readonly<Record<string, string>>,
  merchantId: string,
  holder: string,
): Promise<OwnCredential> {
  return issue((...words) => pesapost(env, ...words), merchantId, holder);
}

type OwnCredential = Omit<MerchantCredentials, 'merchantId' | 'accountNo'>;

function issue(operate: Operate, merchantId: string, holder: string): Promise<OwnCredential> {
  const of = ['--merchant', merchantId, '--mode', 'demo', '--reason', 'test', '--as', 'spec'];
  return withKeyFile(async (file, privateKeyPem) => {
    const credential = await operate(
      ...['credential', 'issue', '--kind', 'v4', '--holder', holder, '--public-key', file],
      ...['--ips', '127.0.0.1,::1', '--rate', '10000/s', ...of],
    );
    return {
      clientId: credential['client_id'] ?? '',
      clientSecret: credential['client_secret'] ?? '',
      privateKeyPem,
    };
  });
}
