import { Injectable } from '@nestjs/common';
import { Problem } from '#http';
import { Database, findClientSecret } from '#postgres';
import { findCredential } from '#read-models';
import { FailedAttempts } from '#redis';
import { AddressRanges } from '#runtime';
import { constantTimeEqual, hashSecret } from '#signing';
import { problem } from '../errors.js';
import { seconds } from './rate-limit.js';
import { SourceLimit } from './source-limit.js';

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** RFC 6749, appendix A.1, without the space: what else stands for a client id names no client of ours. */
const clientIdPattern = /^[\x21-\x7e]{1,128}$/;

const basicPattern = /^basic +([A-Za-z0-9+/]+=*)$/i;

/** The digest of no secret. */
const nobody = Buffer.alloc(32);

/** Who asks for a token: HTTP Basic with client id and secret, from an address of the credential's list. */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly database: Database,
    private readonly failures: FailedAttempts,
    private readonly sources: SourceLimit,
  ) {}

  /**
   * @param authorization the header, as sent
   * @param address the caller's, where it has one
   * @returns the id of the credential
   * @throws Problem invalid_client, rate_limited (10 failures a minute per client id and address, and the
   * source's limit over all client ids), ip_not_allowed
   */
  async authenticate(
    authorization: string | undefined,
    address: string | undefined,
  ): Promise<string> {
    this.sources.requireOpen(address);
    try {
      return await this.credentialOf(authorization, address);
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      throw await this.sources.answerTo(thrown, address);
    }
  }

  private async credentialOf(
    authorization: string | undefined,
    address: string | undefined,
  ): Promise<string> {
    const sent = basicCredentials(authorization);
    if (!sent) throw invalidClient();
    const source = address ?? 'unknown';
    const waitMs = await this.failures.refusedForMs(sent.clientId, source);
    if (waitMs !== undefined)
      throw problem('rate_limited', { headers: { 'Retry-After': seconds(waitMs) } });

    const known = await findClientSecret(this.database, sent.clientId);
    // An unknown client takes the same comparison as a wrong secret.
    const right = constantTimeEqual(known?.secretHash ?? nobody, hashSecret(sent.clientSecret));
    if (!known || !right) {
      await this.failures.countFailure(sent.clientId, source);
      throw invalidClient();
    }
    const credential = await findCredential(this.database, known.credentialId);
    if (!credential) throw invalidClient();
    if (address === undefined || !new AddressRanges(credential.ipRanges).has(address))
      throw problem('ip_not_allowed');
    return known.credentialId;
  }
}

/** RFC 6749 §5.2: the challenge names the scheme that the client used. */
export function invalidClient() {
  return problem('invalid_client', { headers: { 'WWW-Authenticate': 'Basic realm="token"' } });
}

function basicCredentials(authorization: string | undefined): ClientCredentials | undefined {
  const [, base64] = basicPattern.exec(authorization ?? '') ?? [];
  if (base64 === undefined) return undefined;
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = text.slice(0, Math.max(0, colon));
  return clientIdPattern.test(clientId)
    ? { clientId, clientSecret: text.slice(colon + 1) }
    : undefined;
}
