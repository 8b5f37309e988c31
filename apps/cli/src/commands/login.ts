import { personId } from '#domain/people';
import { tokenByDevice } from '../device-flow.js';
import { machinesOwner, userAtHost } from '../identity.js';
import { type Issuer, issuerOf } from '../issuer.js';
import { isFresh, notAnew, proofOf } from '../presence.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { settingsOrRefused } from '../settings.js';
import { keepToken, signedIn, verified } from '../signed-in.js';
import { look } from './look.js';

interface Options {
  readonly json?: true;
}

interface LoginOptions extends Options {
  readonly fresh?: true;
}

export const login = look('login', 'signs you in, by a code that you confirm in a browser', 'login')
  .option('--fresh', 'has the issuer see you anew, which what decides about money or access needs')
  .action(async ({ fresh, json }: LoginOptions) => {
    const issuer = issuerOrRefused();
    const token = fresh ? await freshToken(issuer) : await tokenByDevice(issuer);
    await keepToken(issuer, token);
    await tell(issuer, json);
  });

/** The proof counts for five minutes, for every command (PEO-13). @throws Refused */
async function freshToken(issuer: Issuer): Promise<string> {
  const proof = await proofOf(issuer);
  const token = await tokenByDevice(issuer, { proof });
  const found = await verified(issuer, token);
  if (!found || !isFresh(found, proof)) throw notAnew();
  return token;
}

export const logout = look('logout', 'forgets who is signed in on this machine', 'logout').action(
  async ({ json }: Options) => {
    await keepToken(issuerOrRefused(), undefined);
    if (json) printJson({});
    else printLines(['nobody is signed in']);
  },
);

export const whoami = look('whoami', 'who acts', 'whoami').action(async ({ json }: Options) => {
  const issuer = issuerOf(settingsOrRefused());
  if (issuer) await tell(issuer, json);
  else if (json) printJson({ person: null, machine: userAtHost() });
  else printLines([`no issuer is set: ${userAtHost()} acts, under the name of --as`]);
});

async function tell(issuer: Issuer, json: true | undefined): Promise<void> {
  const found = await signedIn(issuer);
  const owner = found ? undefined : await machinesOwner(issuer);
  const who = found ?? owner;
  if (!who) throw new Refused(['nobody is signed in, or no more: npx pesapost login']);
  const { person, name, expiresAt } = who;
  const [id, until] = [personId(person), expiresAt.toISOString()];
  if (json) printJson({ person: id, name, expires_at: until });
  else if (owner) printLines([`nobody is signed in: whoever has this machine acts, as ${id}`]);
  else printLines([`${name} is signed in until ${until}: ${id}`]);
}

function issuerOrRefused(): Issuer {
  const issuer = issuerOf(settingsOrRefused());
  if (issuer) return issuer;
  throw new Refused(['no issuer: set OIDC_ISSUER, or run npm start first']);
}
