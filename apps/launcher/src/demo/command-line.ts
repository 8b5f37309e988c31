import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/postgres';
import { type Environment } from '../children/environment.js';
import { StartRefused } from '../refusal.js';

const deadlineMs = 30_000;
const reason = 'npm start makes its demo';

/** People sign in at an issuer of their own: the demo is made under a typed name, as long as the log has no role (PEO-40). */
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

/** Who makes the demo. */
export type Maker =
  /** A name, where the demo has no provider of identities. */
  | { readonly typed: string }
  /** Whoever has the machine, by run.json; or one of the demo's people, by the folder that their sign-in is kept in. */
  | { readonly signInFolder: string };

/** No such folder: nobody is signed in, so that whoever has the machine acts. */
export const nobodySignedIn: Maker = { signInFolder: '/dev/null' };

/** Runs a command of `npx pesapost`. @returns its JSON answer; texts, as all that the demo needs are. */
export type RunCommand = (...args: string[]) => Promise<Readonly<Record<string, string>>>;

/**
 * The command line as any operator has it, on the servers of the environment.
 * @throws StartRefused with what the command said
 */
export function commandLine(
  environment: Environment,
  signal: AbortSignal,
  maker: Maker,
): RunCommand {
  const main = packageDirectory('dist', 'apps', 'cli', 'src', 'main.js');
  return async (...args) => {
    const how = ['--json', '--reason', reason, ...('typed' in maker ? ['--as', maker.typed] : [])];
    const identity =
      'typed' in maker ? noIssuer : { ...withoutOidc(), XDG_CONFIG_HOME: maker.signInFolder };
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, ...how], {
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
