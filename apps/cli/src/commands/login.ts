import { personId } from '#domain/people';
import {
  commandLineClient,
  type Issuer,
  issuerOf,
  keepToken,
  signedIn,
  unreachable,
  userAtHost,
} from '../identity.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { settingsOrRefused } from '../settings.js';
import { look } from './look.js';

interface Options {
  readonly json?: true;
}

/** How long a person may take at the browser, whatever the issuer allows. */
const longestWaitMs = 10 * 60_000;

export const login = look(
  'login',
  'signs you in, by a code that you confirm in a browser',
  'login',
).action(async ({ json }: Options) => {
  const issuer = await issuerOrRefused();
  const token = await tokenByDevice(issuer);
  await keepToken(issuer, token);
  await tell(issuer, json);
});

export const logout = look('logout', 'forgets who is signed in on this machine', 'logout').action(
  async ({ json }: Options) => {
    await keepToken(await issuerOrRefused(), undefined);
    if (json) printJson({});
    else printLines(['nobody is signed in']);
  },
);

export const whoami = look('whoami', 'who acts, where no --as says so', 'whoami').action(
  async ({ json }: Options) => {
    const issuer = await issuerOf(settingsOrRefused());
    if (issuer) await tell(issuer, json);
    else if (json) printJson({ person: null, machine: userAtHost() });
    else printLines([`no issuer is set: ${userAtHost()} acts, under the name of --as`]);
  },
);

async function tell(issuer: Issuer, json: true | undefined): Promise<void> {
  const found = await signedIn(issuer);
  if (!found) throw new Refused(['nobody is signed in, or no more: npx pesapost login']);
  const { person, name, expiresAt } = found;
  const [id, until] = [personId(person), expiresAt.toISOString()];
  if (json) printJson({ person: id, name, expires_at: until });
  else printLines([`${name} is signed in until ${until}: ${id}`]);
}

async function issuerOrRefused(): Promise<Issuer> {
  const issuer = await issuerOf(settingsOrRefused());
  if (issuer) return issuer;
  throw new Refused(['no issuer: set OIDC_ISSUER, or run npm start first']);
}

/** @returns who the issuer says it is, in its own signed words */
async function tokenByDevice({ url }: Issuer): Promise<string> {
  const client = await import('openid-client');
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- an issuer on this machine has no certificate; live mode refuses it
  const execute = url.startsWith('http:') ? [client.allowInsecureRequests] : [];
  const configuration = await client
    .discovery(new URL(url), commandLineClient, {}, client.None(), { execute })
    .catch(() => {
      throw unreachable(url);
    });
  client.enableNonRepudiationChecks(configuration);
  try {
    const begun = await client.initiateDeviceAuthorization(configuration, {
      scope: 'openid profile',
    });
    // A person reads it, whatever is read from the answer.
    process.stderr.write(`open ${begun.verification_uri} and type the code ${begun.user_code}\n`);
    const signal = AbortSignal.timeout(Math.min(longestWaitMs, begun.expires_in * 1000));
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, begun, undefined, {
      signal,
    });
    if (tokens.id_token !== undefined) return tokens.id_token;
  } catch (error) {
    const { error: code } = error as { readonly error?: unknown };
    const why = typeof code === 'string' ? code : 'nobody confirmed the code in time';
    throw new Refused([`you are not signed in: ${why}`]);
  }
  throw new Refused(['you are not signed in: the issuer did not say who you are']);
}
