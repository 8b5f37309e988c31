import { Clock } from '#domain/kernel';
import { Injectable } from '@nestjs/common';
import { callerAddress, noteRequest, Problem } from '#shared/http';
import { Database } from '#infra/postgres';
import { type Credential, findCredential, hasEnded } from '#views/merchants';
import { AddressRanges } from '#infra/runtime';
import { constantTimeEqual, hashSecret } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';
import { type ClientSecret, ClientSecrets } from '#records/credentials';
import { TokenLimits } from './limits.js';

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** RFC 6749, appendix A.1, without the space. A text of another form names no client of ours. */
const clientIdPattern = /^[\x21-\x7e]{1,128}$/;

const basicPattern = /^basic +([A-Za-z0-9+/]+=*)$/i;

/** A digest that no secret has. */
const nobody = Buffer.alloc(32);

/**
 * Authenticates a client that asks for a token, by HTTP Basic with client id and secret, from an address on the
 * credential's list. A client with the right secret and address is served, whatever others did from its address or
 * under its name: the limits of failures apply only to failures.
 */
@Injectable()
export class ClientAuthentication {
  constructor(
    private readonly secrets: ClientSecrets,
    private readonly database: Database,
    private readonly limits: TokenLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns the id of the credential
   * @throws Problem invalid_client, ip_not_allowed; rate_limited instead after too many failures (600 of a source and
   *   then 10 a second, or 10 a minute per client id and address), or if more than 60 tokens a minute are asked for
   */
  async authenticate(request: FastifyRequest): Promise<string> {
    const address = callerAddress(request);
    const sent = basicCredentials(request.headers.authorization);
    try {
      const known = sent && (await this.secrets.find(sent.clientId));
      noteRequest(request, { namedCredentialId: known?.credentialId });
      const { credentialId, merchantId, mode } = await this.credentialOf(sent, known, address);
      noteRequest(request, { merchantId, mode, credentialId });
      await this.limits.requireIssuing(credentialId);
      return credentialId;
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      const answer = await this.limits.answerTo(thrown, sent?.clientId, address);
      if (answer !== thrown) noteRequest(request, { failure: thrown.error.code });
      throw answer;
    }
  }

  /** @throws Problem invalid_client, ip_not_allowed */
  private async credentialOf(
    sent: ClientCredentials | undefined,
    known: ClientSecret | undefined,
    address: string | undefined,
  ): Promise<Credential> {
    if (!sent) throw invalidClient();
    // An unknown client takes the same comparison as a wrong secret, so that both take the same time.
    const right = constantTimeEqual(known?.secretHash ?? nobody, hashSecret(sent.clientSecret));
    if (!known || !right) throw invalidClient();
    const credential = await findCredential(this.database, known.credentialId);
    if (!credential || hasEnded(credential, this.clock.nowMs())) throw invalidClient();
    if (address === undefined || !new AddressRanges(credential.ipRanges).has(address))
      throw problem('ip_not_allowed');
    return credential;
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
