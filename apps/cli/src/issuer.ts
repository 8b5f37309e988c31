import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultCommandLineClient, type Settings } from '#infra/runtime';
import { z } from 'zod';
import { Refused } from './refused.js';

/** Who says who people are. */
export interface Issuer {
  readonly url: string;
  /** As it knows the command line: a public client of the device flow. */
  readonly clientId: string;
  /** OIDC_STEP_UP_ACR. */
  readonly stepUpAcr: readonly string[];
  /** Names whoever has this machine; only where `npm start` runs a provider of its own (PEO-11). */
  readonly ownerToken: string | undefined;
}

/** As `npm start` notes it in DATA_DIR/run.json. */
const runShape = z.object({
  eventstore_url: z.string().optional(),
  database_url: z.string().optional(),
  oidc_issuer: z.string().optional(),
  oidc_cli_client_id: z.string().default(defaultCommandLineClient),
  oidc_step_up_acr: z.array(z.string()).default([]),
  owner_token: z.string().optional(),
});

/** The setting's; else, where the stores are those of `npm start`, however they are named, the one of its run.json. */
export async function issuerOf(settings: Settings): Promise<Issuer | undefined> {
  const { oidc, dataDir, eventstoreUrl, databaseUrl } = settings;
  if (oidc !== undefined) {
    const { issuer: url, commandLineClientId: clientId, stepUpAcr } = oidc;
    return { url, clientId, stepUpAcr, ownerToken: undefined };
  }
  const file = join(dataDir, 'run.json');
  const run = runShape.safeParse(parsed(await readFile(file, 'utf8').catch(() => '{}')));
  if (!run.success) throw new Refused([`${file} is not as npm start writes it: start it again`]);
  const { oidc_issuer: url, oidc_cli_client_id: clientId } = run.data;
  const isOfRun =
    (eventstoreUrl === undefined || eventstoreUrl === run.data.eventstore_url) &&
    (databaseUrl === undefined || databaseUrl === run.data.database_url);
  if (url === undefined || !isOfRun) return undefined;
  const { oidc_step_up_acr: stepUpAcr, owner_token: ownerToken } = run.data;
  return { url, clientId, stepUpAcr, ownerToken };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** For each call of the issuer. */
export const deadlineMs = 10_000;

const documentShape = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  acr_values_supported: z.array(z.string()).default([]),
});
export type IssuerDocument = z.output<typeof documentShape>;

/**
 * What the issuer says of itself: at its own address alone, and with keys that nobody on the way could change.
 * @throws Refused where it does not answer as itself
 */
export async function documentOf({ url }: Issuer): Promise<IssuerDocument> {
  const response = await fetch(`${url.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(deadlineMs),
    redirect: 'error',
  }).catch(() => undefined);
  const document = documentShape.safeParse(await response?.json().catch(() => undefined));
  if (document.data?.issuer !== url) throw unreachable(url);
  if (isHttps(url) && !isHttps(document.data.jwks_uri)) throw unreachable(url);
  return document.data;
}

function isHttps(url: string): boolean {
  return new URL(url).protocol === 'https:';
}

export function unreachable(url: string): Refused {
  return new Refused([`the issuer of identities, ${url}, does not answer as one: is it running?`]);
}
