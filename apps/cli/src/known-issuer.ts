import { type StepUpProof } from '#domain/people';
import { acceptedAlgorithms } from '#shared/openid';
// This imports types as a whole: an import of names that are marked as types would remain when empty, and load the
// library.
import type { Configuration } from 'openid-client';
import { deadlineMs, documentOf, type Issuer } from './issuer.js';

type Client = typeof import('openid-client');

/** The longest time that a person may take at the browser, even if the issuer allows more. */
export const longestWaitMs = 10 * 60_000;

/** A sign-in that the person proves again, even if the issuer remembers them. */
export interface Anew {
  readonly proof: StepUpProof;
  /** A text that the issuer signs: always in the browser's flow, and by the device only if the issuer supports it. */
  readonly nonce?: string;
}

/** Tokens that the issuer gave. */
export interface Tokens {
  readonly idToken: string;
  /** A secret that renews the sign-in; undefined if the issuer gives none. */
  readonly refreshToken: string | undefined;
}

/** The library, and the issuer as it knows it. */
export interface KnownIssuer {
  readonly client: Client;
  readonly configuration: Configuration;
  readonly issuer: Issuer;
}

/**
 * Reads the issuer's document, and nothing else yet.
 * @throws Refused if the issuer does not answer as itself within the deadline
 */
export async function knownIssuer(issuer: Issuer): Promise<KnownIssuer> {
  const document = await documentOf(issuer);
  const client = await import('openid-client');
  const accepted = acceptedAlgorithms(document.id_token_signing_alg_values_supported);
  const metadata = { ...document, id_token_signing_alg_values_supported: accepted };
  const configuration = new client.Configuration(metadata, issuer.clientId, {}, client.None());
  configuration.timeout = deadlineMs / 1000;
  client.enableNonRepudiationChecks(configuration);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- an issuer on this machine has no certificate; live mode refuses it
  if (issuer.url.startsWith('http:')) client.allowInsecureRequests(configuration);
  return { client, configuration, issuer };
}
