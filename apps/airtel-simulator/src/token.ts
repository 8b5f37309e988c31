import { createHash, randomBytes } from 'node:crypto';
import { type Clock } from '#domain/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Memory } from './memory.js';
import type { Portal } from './portal.js';
import { jsonOf } from './requests.js';
import type { Settings } from './settings.js';

const lifetimeSeconds = 180;

/** The rail's access tokens. Each is valid until it ends; a new one ends no other. */
export class Tokens {
  constructor(
    private readonly settings: Pick<Settings, 'clientId' | 'clientSecret'>,
    private readonly clock: Clock,
    private readonly memory: Memory,
    private readonly portal: Portal,
  ) {}

  readonly issue = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { client_id: id, client_secret: secret, grant_type: grant } = jsonOf(request);
    const { clientId, clientSecret } = this.settings;
    if (id !== clientId || secret !== clientSecret || grant !== 'client_credentials')
      return reply.code(Number(this.portal.ways.bad_secret)).send({
        error_description: 'Invalid client authentication',
        error: 'invalid_client',
      });
    const token = randomBytes(24).toString('base64url');
    const nowMs = this.clock.nowMs();
    await this.memory.addToken(sha256(token), nowMs + lifetimeSeconds * 1_000, nowMs);
    return reply.send({
      token_type: 'bearer',
      access_token: token,
      // Text, as Airtel sends it.
      expires_in: String(lifetimeSeconds),
    });
  };

  /** Refuses a request without a good token, before its body is read. */
  readonly check = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { authorization } = request.headers;
    const token = authorization?.startsWith('Bearer ') === true ? authorization.slice(7) : '';
    const endsAtMs = this.memory.tokens.get(sha256(token));
    if (endsAtMs !== undefined && this.clock.nowMs() < endsAtMs) return;
    await reply.code(Number(this.portal.ways.bad_token)).send({
      error_description: 'The access token is invalid or has expired',
      error: 'invalid_token',
    });
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
