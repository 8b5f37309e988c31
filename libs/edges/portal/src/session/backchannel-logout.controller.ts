import { createHash } from 'node:crypto';
import { Controller, Injectable, Logger, Post, Req, Res } from '@nestjs/common';
import { type Person, personId } from '#domain/people';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { type Rate } from '#infra/runtime';
import { Sessions } from '#records/people';
import {
  callerAddress,
  noteRequest,
  readBody,
  sourceOf,
  WithoutAuthentication,
} from '#shared/http';
import { refusedAnswer } from '#shared/openid';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { postedForm } from '../access/posted-form.js';
import { type Logout, logoutIn, rememberedMs } from './logout-token.js';
import { ProviderConnection } from './provider-connection.js';

/** Rate of one source: a provider that ends many people's sessions sends one token for each. */
const rate: Rate = { limit: 20, intervalMs: 1000, burst: 400 };

const log = new Logger('portal');

/** Reads logout tokens and ends the sessions that they name, each token once. */
@Injectable()
export class ProviderLogouts {
  constructor(
    private readonly connection: ProviderConnection,
    private readonly sessions: Sessions,
    private readonly store: RedisStore,
  ) {}

  /** Without Redis nothing is counted. */
  async isWithinRate(request: FastifyRequest): Promise<boolean> {
    const bucket = `bucket:portal:logout:${sourceOf(callerAddress(request))}`;
    const waitMs = await takeFromBucket(this.store, bucket, rate).catch(() => undefined);
    return waitMs === undefined;
  }

  /**
   * @returns undefined if the token is none of the provider's, or was received before
   * @throws Error if the provider's keys cannot be read
   */
  async read(token: string): Promise<Logout | undefined> {
    const { issuer, clientId } = this.connection.options;
    const { jwks_uri: keys = '' } = await this.connection.metadata();
    const logout = await logoutIn(token, { issuer, clientId, keys });
    if (!logout) return undefined;
    const before = await this.store.get(keyOf(logout)).catch(() => null);
    return before === null ? logout : undefined;
  }

  /**
   * Ends every session of the person or, if the token names none, those that began with one of the provider's. The token
   * is noted after that: if it fails, the provider may send it again.
   * @returns the person; undefined if no session of theirs is known
   * @throws DependencyUnavailable
   */
  async end(logout: Logout): Promise<Person | undefined> {
    const { issuer } = this.connection.options;
    const { providerSession, subject: named } = logout;
    if (named !== undefined) await this.sessions.endAll({ issuer, subject: named });
    const ofProvider = providerSession ?? '';
    const subject = named ?? (await this.sessions.endOfProvider(issuer, ofProvider));
    await this.store.set(keyOf(logout), '1', rememberedMs).catch(() => undefined);
    return subject === undefined ? undefined : { issuer, subject };
  }
}

/** The id of a token may be long, and is the provider's. */
function keyOf({ id }: Logout): string {
  return `portal:logout:${createHash('sha256').update(id).digest('hex')}`;
}

/** The address at which the provider says that it ended a session (OpenID Connect Back-Channel Logout 1.0, POR-123). */
@Controller('portal')
@WithoutAuthentication('the provider signs the token that it sends')
export class BackchannelLogoutController {
  constructor(private readonly logouts: ProviderLogouts) {}

  @Post('backchannel-logout')
  async logOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('Cache-Control', 'no-store');
    if (!(await this.logouts.isWithinRate(request))) {
      void reply.code(429).header('Retry-After', '1').send({ error: 'slow_down' });
      return;
    }
    await readBody(request);
    const logout = await this.read(postedForm(request).get('logout_token') ?? '');
    if (logout === 'unavailable') void reply.code(503).send({ error: 'temporarily_unavailable' });
    else if (!logout) void reply.code(400).send({ error: 'invalid_request' });
    else {
      const person = await this.logouts.end(logout);
      if (person) noteRequest(request, { personId: personId(person), securityEvent: 'signed_out' });
      void reply.code(200).send();
    }
  }

  private async read(token: string): Promise<Logout | 'unavailable' | undefined> {
    try {
      return await this.logouts.read(token);
    } catch (error) {
      log.warn({ msg: 'a logout token could not be checked', ...refusedAnswer(error) });
      return 'unavailable';
    }
  }
}
