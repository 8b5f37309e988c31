import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sessions } from '#records/people';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { hashSecret } from '#shared/signing';
import { patientPool } from '../database.js';

const sessionMs = 3_600_000;

/**
 * Makes the command line find a signed-in person, as after `login --fresh`.
 * @param token as the issuer signed it for the command line
 * @returns the environment of that person's commands
 */
export async function signedInAs(
  databaseUrl: string,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
  token: string,
): Promise<Readonly<Record<string, string>>> {
  const logger = createLogger({ app: 'tests', level: 'silent' });
  const database = new Database({ ...patientPool, url: databaseUrl, app: 'tests', logger });
  await new Sessions(database).open(
    {
      hash: hashSecret(token),
      person: { issuer, subject },
      name: subject,
      authenticatedAt: new Date(),
      kind: 'command_line',
      isProved: true,
    },
    { idleMs: sessionMs, absoluteMs: sessionMs },
  );
  await database.close();
  const folder = await mkdtemp(join(tmpdir(), 'pesapost-signed-in-'));
  await mkdir(join(folder, 'pesapost'));
  await writeFile(join(folder, 'pesapost', 'identities.json'), JSON.stringify({ [issuer]: token }));
  return { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'portal', XDG_CONFIG_HOME: folder };
}
