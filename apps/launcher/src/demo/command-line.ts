import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/postgres';
import { type Environment } from '../children/environment.js';
import { StartRefused } from '../refusal.js';

const deadlineMs = 30_000;
const reason = 'npm start makes its demo';

/**
 * Nobody has signed in yet: the demo is made by who starts it, under the names that are typed (PEO-11). So these commands read
 * no run.json: there is none in the folder that they are given.
 */
const noIssuer = {
  DATA_DIR: '/dev/null',
  OIDC_ISSUER: '',
  OIDC_CLIENT_ID: '',
  OIDC_CLIENT_SECRET: '',
  OIDC_CLIENT_SECRET_FILE: '',
  OIDC_CLI_CLIENT_ID: '',
  OIDC_STEP_UP_ACR: '',
};

/** Runs a command of `npx pesapost`. @returns its JSON answer; texts, as all that the demo needs are. */
export type RunCommand = (...args: string[]) => Promise<Readonly<Record<string, string>>>;

/**
 * The command line as any operator has it, on the servers of the environment.
 * @throws StartRefused with what the command said
 */
export function commandLine(
  environment: Environment,
  signal: AbortSignal,
  who = 'launcher',
): RunCommand {
  const main = packageDirectory('dist', 'apps', 'cli', 'src', 'main.js');
  return async (...args) => {
    const how = ['--json', '--reason', reason, '--as', who];
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, ...how], {
        env: { ...process.env, ...environment, ...noIssuer },
        timeout: deadlineMs,
        signal,
      });
      return JSON.parse(stdout) as Record<string, string>;
    } catch (error) {
      signal.throwIfAborted();
      const said = (error as { stderr?: string }).stderr?.trim().split('\n')[0];
      throw new StartRefused(
        `the demo cannot be made: pesapost ${args.slice(0, 2).join(' ')}: ${said ?? String(error)}`,
        { cause: error },
      );
    }
  };
}
