import { strongOnly } from '#domain/people';
import { type Settings } from '#infra/runtime';
import { z } from 'zod';
import { Refused } from './refused.js';
import { runOf } from './run-file.js';

/** The issuer, which says who people are. */
export interface Issuer {
  readonly url: string;
  /** The client id under which it knows the command line, which is a public client. */
  readonly clientId: string;
  /** The `acr` values that prove presence: only `phrh` and `phr`, unless ALLOW_UNSAFE names `weak-presence` (PEO-13). */
  readonly stepUpAcr: readonly string[];
  /** Undefined unless `npm start` runs a provider of its own. */
  readonly owner: Owner | undefined;
}

/** The machine's owner as run.json names them. The token must be verified before it counts (PEO-40). */
interface Owner {
  readonly token: string;
  /** The `acr` values that prove presence at the demo's provider. */
  readonly stepUpAcr: readonly string[];
}

/** The setting's issuer or, if the stores are those of `npm start`, the one of its run.json. */
export function issuerOf(settings: Settings): Issuer | undefined {
  const { oidc } = settings;
  if (oidc !== undefined) {
    const { issuer: url, commandLineClientId: clientId, stepUpAcr: named } = oidc;
    return { url, clientId, stepUpAcr: stepUpAcrOf(named, settings), owner: undefined };
  }
  const run = runOf(settings);
  if (run?.oidc_issuer === undefined) return undefined;
  const { oidc_step_up_acr: named, owner_token: token } = run;
  return {
    url: run.oidc_issuer,
    clientId: run.oidc_cli_client_id,
    stepUpAcr: stepUpAcrOf(named, settings),
    owner: token === undefined ? undefined : { token, stepUpAcr: named },
  };
}

/** The caller's own environment never weakens the proof, whatever rails it names (PEO-13). */
function stepUpAcrOf(
  named: readonly string[],
  { allowUnsafe }: Pick<Settings, 'allowUnsafe'>,
): readonly string[] {
  if (allowUnsafe.includes('weak-presence')) return named;
  return strongOnly(named);
}

/** The limit for each call of the issuer. */
export const deadlineMs = 10_000;

const documentShape = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.url(),
  acr_values_supported: z.array(z.string()).default([]),
  id_token_signing_alg_values_supported: z.array(z.string()).optional(),
});
export type IssuerDocument = z.output<typeof documentShape>;

/**
 * The issuer's document, only from its own address, and with keys that no one on the way could change.
 * @throws Refused if it does not answer as itself; the words tell a wrong address from a provider that is down
 */
export async function documentOf({ url }: Pick<Issuer, 'url'>): Promise<IssuerDocument> {
  const address = `${url.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(address, {
    signal: AbortSignal.timeout(deadlineMs),
    redirect: 'error',
  }).catch(() => undefined);
  const { status = 0 } = response ?? {};
  if (status >= 400 && status < 500 && status !== 429)
    throw new Refused([`there is no issuer of identities at ${url}: ${address} answers ${status}`]);
  const document = documentShape.safeParse(await response?.json().catch(() => undefined));
  const { issuer: found = url } = document.data ?? {};
  if (found !== url) throw new Refused([otherName(url, found)]);
  if (!document.data || (isHttps(url) && !isHttps(document.data.jwks_uri))) throw unreachable(url);
  return document.data;
}

/** The provider chooses its name, so no escape sequence in it may reach the terminal. */
function otherName(url: string, found: string): string {
  const name = found.replace(/[^\x21-\x7e]/g, '?').slice(0, 200);
  return `the issuer of identities is set as ${url}, but calls itself ${name}: OIDC_ISSUER must be that, to the letter`;
}

function isHttps(url: string): boolean {
  return new URL(url).protocol === 'https:';
}

export function unreachable(url: string): Refused {
  return new Refused([`the issuer of identities, ${url}, does not answer as one: is it running?`]);
}
