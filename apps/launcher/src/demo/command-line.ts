import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import { type Environment } from '../children/environment.js';
import { StartRefused } from '../refusal.js';

const deadlineMs = 30_000;
const reason = 'npm start makes its demo';

/**
 * If people sign in at their own issuer, the demo is made under a typed name, as long as the log has no role (PEO-40).
 */
const noIssuer = { DATA_DIR: '/dev/null', ...withoutOidc() };

function withoutOidc(): Environment {
  return {
    OIDC_ISSUER: '',
    OIDC_CLIENT_ID: '',
    OIDC_CLIENT_SECRET: '',
    OIDC_CLIENT_SECRET_FILE: '',
    OIDC_CLI_CLIENT_ID: '',
    OIDC_STEP_UP_ACR: '',
  };
}

/** The actor who makes the demo. */
export type Maker =
  /** A name, if the demo has no identity provider. */
  | { readonly typed: string }
  /** The machine's owner, by run.json; or one of the demo's people, by the folder of their sign-in. */
  | { readonly signInFolder: string };

/** There is no such folder, so no person is signed in and the machine's owner acts. */
export const nobodySignedIn: Maker = { signInFolder: '/dev/null' };

/**
 * Runs a command of `npx pesapost`.
 * @returns its JSON answer; the demo needs only texts
 */
export type RunCommand = (...args: string[]) => Promise<Readonly<Record<string, string>>>;

/**
 * The commands of an operator that change something, for the servers of the environment.
 * @throws StartRefused with the command's message
 */
export function commandLine(
  environment: Environment,
  signal: AbortSignal,
  maker: Maker,
): RunCommand {
  const how = ['--reason', reason, ...('typed' in maker ? ['--as', maker.typed] : [])];
  const run = showingCommandLine(environment, signal, maker);
  return (...args) => run(...args, ...how);
}

/**
 * The commands of an operator that only show something, and so record no actor and no reason.
 * @throws StartRefused with the command's message
 */
export function showingCommandLine(
  environment: Environment,
  signal: AbortSignal,
  maker: Maker,
): RunCommand {
  const main = packageDirectory('dist', 'apps', 'cli', 'src', 'main.js');
  const identity =
    'typed' in maker ? noIssuer : { ...withoutOidc(), XDG_CONFIG_HOME: maker.signInFolder };
  return async (...args) => {
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], {
        env: { ...process.env, ...environment, ...identity },
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
