import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageDirectory } from '#infra/runtime';
import { inheritedEnvironment } from './inherited-environment.js';

/** The outcome of a command for the operator. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

const commandDeadlineMs = 180_000;
const idleMs = 10_000;

/** Runs the commands that it is sent, one after the other, and ends when it had nothing to do for a while. */
const program = `
  const { run } = await import(process.argv[1]);
  const end = () => process.exit();
  let idle = setTimeout(end, ${idleMs});
  process.on('disconnect', end);
  process.on('message', async (words) => {
    clearTimeout(idle);
    const said = { stdout: '', stderr: '' };
    for (const name of Object.keys(said))
      process[name].write = (chunk, ...rest) => {
        said[name] += chunk;
        if (typeof rest.at(-1) === 'function') rest.at(-1)();
        return true;
      };
    const code = await run(words);
    process.send({ code, ...said });
    idle = setTimeout(end, ${idleMs});
  });`;

/** Processes that wait for their next command, by their environment. */
const waiting = new Map<string, ChildProcess[]>();

/**
 * Runs a command line in a process that may have run others with the same environment before, because starting takes
 * most of a command's time. Commands that run at the same time have processes of their own.
 */
export async function runCommandLine(
  env: Environment,
  words: readonly string[],
): Promise<CommandOutcome> {
  const key = JSON.stringify(env);
  const used = waiting.get(key)?.pop();
  const outcome = (used && (await outcomeIn(used, words))) ?? (await inNewProcess(env, words));
  const { process: done, ...told } = outcome;
  if (done) waiting.set(key, [...(waiting.get(key) ?? []), done]);
  return told;
}

type Told = CommandOutcome & { readonly process?: ChildProcess };

async function inNewProcess(env: Environment, words: readonly string[]): Promise<Told> {
  const run = pathToFileURL(join(packageDirectory('dist'), 'apps/cli/src/run.js')).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, run], {
    ...optionsOf(env),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const told = await outcomeIn(child, words);
  if (!told) throw new Error(`pesapost ${words.join(' ')} ended without an outcome`);
  return told;
}

/** @returns undefined if the process ended before it took the command */
function outcomeIn(child: ChildProcess, words: readonly string[]): Promise<Told | undefined> {
  if (!child.connected) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    child.ref();
    child.channel?.ref();
    const over = (told: Told | undefined): void => {
      clearTimeout(patience);
      child.off('exit', gone);
      child.off('message', tell);
      // A spec ends without waiting for a process that waits.
      child.channel?.unref();
      child.unref();
      resolve(told);
    };
    const gone = (): void => {
      over(undefined);
    };
    const tell = (outcome: unknown): void => {
      over({ ...(outcome as CommandOutcome), process: child });
    };
    const patience = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`pesapost ${words.join(' ')} did not end in ${commandDeadlineMs} ms`));
    }, commandDeadlineMs);
    child.once('exit', gone);
    child.once('message', tell);
    child.send(words, () => undefined);
  });
}

/** Runs a command line in a process that is started for it, as a person's shell does. */
export function startCommandLine(
  env: Environment,
  words: readonly string[],
): Promise<CommandOutcome> {
  const main = join(packageDirectory('dist'), 'apps/cli/src/main.js');
  return new Promise((resolve) => {
    const options = { ...optionsOf(env), timeout: commandDeadlineMs };
    execFile(process.execPath, [main, ...words], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

function optionsOf(env: Environment) {
  return {
    cwd: packageDirectory(),
    env: { ...inheritedEnvironment(), ...env },
  };
}
