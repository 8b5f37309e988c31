import { Injectable } from '@nestjs/common';
import { callerAddress, noteRequest, Problem } from '#shared/http';
import { type ClientSecret, findClientSecrets } from '#adapters/records';
import { Database, MicroBatcher } from '#infra/postgres';
import { findCredential } from '#views/merchants';
import { FailedAttempts, RedisStore, takeFromBucket } from '#infra/redis';
import { AddressRanges, type Rate } from '#infra/runtime';
import { constantTimeEqual, hashSecret } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';
import { rateLimitProblem } from './rate-limit.js';
import { SourceFailureLimit } from './source-failure-limit.js';

interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** RFC 6749, appendix A.1, without the space: what else stands for a client id names no client of ours. */
const clientIdPattern = /^[\x21-\x7e]{1,128}$/;

const basicPattern = /^basic +([A-Za-z0-9+/]+=*)$/i;

/** The digest of no secret. */
const nobody = Buffer.alloc(32);

/** Tokens that one client may be given: one lasts an hour, so this is far more than any needs. */
const issuing: Rate = { limit: 60, intervalMs: 60_000, burst: 60 };

/**
 * Who asks for a token: HTTP Basic with client id and secret, from an address of the credential's list. A client whose
 * secret and address are right is served whatever others did from its address or under its name; limits of failures
 * are asked only about failures.
 */
@Injectable()
export class ClientAuthentication {
  /** Looked up together, one statement at a time: a flood of client ids that nobody has holds one connection. */
  private readonly secrets: MicroBatcher<string, ClientSecret | undefined>;

  constructor(
    private readonly database: Database,
    private readonly failures: FailedAttempts,
    private readonly sources: SourceFailureLimit,
    private readonly redis: RedisStore,
  ) {
    this.secrets = new MicroBatcher({ flush: (ids) => findClientSecrets(database, ids) });
  }

  /**
   * @returns the id of the credential
   * @throws Problem invalid_client, ip_not_allowed; rate_limited instead (600 failures of a source and then 10 a second,
   * 10 a minute per client id and address), or where more than 60 tokens a minute are asked for
   */
  async authenticate(request: FastifyRequest): Promise<string> {
    const address = callerAddress(request);
    const sent = basicCredentials(request.headers.authorization);
    try {
      const known = sent && (await this.secrets.add(sent.clientId));
      noteRequest(request, { namedCredentialId: known?.credentialId });
      const credentialId = await this.credentialOf(sent, known, address);
      noteRequest(request, { credentialId });
      await this.requireIssuing(credentialId);
      return credentialId;
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      const answer = await this.answerTo(thrown, sent, address);
      if (answer !== thrown) noteRequest(request, { failure: thrown.error.code });
      throw answer;
    }
  }

  /** @throws Problem invalid_client, ip_not_allowed */
  private async credentialOf(
    sent: ClientCredentials | undefined,
    known: ClientSecret | undefined,
    address: string | undefined,
  ): Promise<string> {
    if (!sent) throw invalidClient();
    // An unknown client takes the same comparison as a wrong secret.
    const right = constantTimeEqual(known?.secretHash ?? nobody, hashSecret(sent.clientSecret));
    if (!known || !right) throw invalidClient();
    const credential = await findCredential(this.database, known.credentialId);
    if (!credential) throw invalidClient();
    if (address === undefined || !new AddressRanges(credential.ipRanges).has(address))
      throw problem('ip_not_allowed');
    return known.credentialId;
  }

  /** @throws Problem rate_limited; DependencyUnavailable */
  private async requireIssuing(credentialId: string): Promise<void> {
    const waitMs = await takeFromBucket(this.redis, `bucket:tokens:${credentialId}`, issuing);
    if (waitMs !== undefined) throw rateLimitProblem(waitMs);
  }

  /**
   * The source's limit first: what a flood makes us count for each client id is bounded by it.
   * @throws DependencyUnavailable
   */
  private async answerTo(
    failure: Problem,
    sent: ClientCredentials | undefined,
    address: string | undefined,
  ): Promise<Problem> {
    const answer = await this.sources.answerTo(failure, address);
    if (answer !== failure || !sent || failure.error.code === 'rate_limited') return answer;
    const pair = [sent.clientId, address ?? 'unknown'] as const;
    const waitMs = isWrongSecret(failure)
      ? await this.failures.countFailure(...pair)
      : await this.failures.refusedForMs(...pair);
    return waitMs === undefined ? failure : rateLimitProblem(waitMs);
  }
}

const isWrongSecret = ({ error }: Problem): boolean => error.code === 'invalid_client';

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
