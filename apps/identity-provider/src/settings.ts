import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const personShape = z.strictObject({
  /** Never changes, and never goes to another person. */
  subject: z.string().min(8),
  login: z.string().min(1),
  name: z.string().min(1),
  /** A hash by `hashPassword`. */
  password_hash: z.string().startsWith('scrypt$'),
});

/** The file that the launcher writes for this provider in DATA_DIR; only its user can read it. */
const fileShape = z.strictObject({
  port: z.int().min(1).max(65_535),
  client_secret: z.string().min(32),
  cookie_key: z.string().min(32),
  /** RSA, private; signs identities. */
  signing_key: z.looseObject({ kty: z.literal('RSA'), kid: z.string(), d: z.string() }),
  people: z.array(personShape),
});

export type DemoPerson = z.output<typeof personShape>;

export interface Settings extends z.output<typeof fileShape> {
  /** The portal's origin. */
  readonly portalUrl: string;
  /** The file of people's passkeys, which belongs to this provider. */
  readonly passkeysFile: string;
}

/** Returns the issuer's URL. People's browsers open it, and passkeys need a name instead of an address. */
export function issuerOf({ port }: Pick<Settings, 'port'>): string {
  return `http://localhost:${port}`;
}

/** @throws Error with a message for people */
export async function readSettings(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  const live = Object.keys(env).find((name) => /^RAIL_[A-Z]+_LIVE_/.test(name) && env[name]);
  if (live !== undefined)
    throw new Error(
      `${live} is set: the demo's people and passwords do not stand beside live rails; set OIDC_ISSUER to the provider of your people`,
    );
  const { IDENTITY_PROVIDER_FILE: file = '', PORTAL_URL: portal = '' } = env;
  if (!URL.canParse(portal)) throw new Error('PORTAL_URL must be the URL of the portal');
  const read = fileShape.safeParse(JSON.parse(await readFile(file, 'utf8')));
  if (!read.success) throw new Error(`${file}: ${z.prettifyError(read.error)}`);
  return {
    ...read.data,
    portalUrl: new URL(portal).origin,
    passkeysFile: join(dirname(file), 'passkeys.json'),
  };
}
