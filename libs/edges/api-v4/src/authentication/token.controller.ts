import { Documented, named } from '#shared/openapi';
import { z } from 'zod';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { type RawBody, readBody, WithoutAuthentication } from '#shared/http';
import { hashSecret, newSecret } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { errors, problem } from '../errors.js';
import { AccessTokens } from '#records/credentials';
import { requireNoQuery } from '../validation/validated.js';
import { ClientAuthentication, invalidClient } from './client-authentication.js';

const tokenLifeSeconds = 3600;
const grantType = 'client_credentials';

/** RFC 6749 §4.4.2. */
const tokenRequest = named(
  'TokenRequest',
  z.object({ grant_type: z.literal(grantType).describe('Given once.') }),
);

/** RFC 6749 §5.1. */
const tokenResponse = named(
  'Token',
  z.object({
    access_token: z.string().describe('Opaque; bear it as `Authorization: Bearer …`.'),
    token_type: z.literal('Bearer'),
    expires_in: z.literal(tokenLifeSeconds).describe('Seconds.'),
  }),
);
type TokenResponse = z.infer<typeof tokenResponse>;

const tokenExample = {
  access_token: 'Wm2vL1b0mY5p1mZ3oXvZy2cT9tH8uQ4rS6kJ7nB0dEg',
  token_type: 'Bearer',
  expires_in: tokenLifeSeconds,
};

/**
 * OAuth 2.0 client credentials (RFC 6749 §4.4). Tokens are opaque and stored hashed. A new token does not invalidate
 * the others.
 */
@Controller('api/v4/oauth')
@WithoutAuthentication('the client secret is what authenticates here')
export class TokenController {
  constructor(
    private readonly clients: ClientAuthentication,
    private readonly tokens: AccessTokens,
  ) {}

  @Post('token')
  @HttpCode(200)
  @Documented({
    operationId: 'issueToken',
    tag: 'Access token',
    summary: 'Get an access token',
    description:
      'OAuth 2.0 client credentials (RFC 6749 §4.4): send HTTP Basic with the client id and secret, from an address on the credential’s list. The request is not signed. A new token does not end earlier ones. A client id gets at most 60 tokens a minute. After 10 failures a minute per client id and address, further failures are 429. A correct secret from an address on the list is still accepted.',
    form: tokenRequest,
    answer: { description: 'A token.', shape: tokenResponse, example: tokenExample },
    refusals: [
      errors.rate_limited,
      errors.invalid_client,
      errors.ip_not_allowed,
      errors.unsupported_media_type,
      errors.unsupported_grant_type,
    ],
  })
  async token(@Req() request: FastifyRequest): Promise<TokenResponse> {
    const credentialId = await this.clients.authenticate(request);
    requireNoQuery(request);
    checkGrant(await readBody(request));
    const token = newSecret();
    const expiresAt = await this.tokens.issue({
      tokenHash: hashSecret(token),
      credentialId,
      lifetimeMs: tokenLifeSeconds * 1000,
    });
    // The credential was revoked after its secret was compared.
    if (!expiresAt) throw invalidClient();
    return { access_token: token, token_type: 'Bearer', expires_in: tokenLifeSeconds };
  }
}

function checkGrant(body: RawBody | undefined): void {
  if (body?.mediaType !== 'application/x-www-form-urlencoded')
    throw problem('unsupported_media_type');
  const grantTypes = body.form().getAll('grant_type');
  if (grantTypes.length !== 1)
    throw problem('invalid_request', { detail: 'grant_type must be given once.' });
  if (grantTypes[0] !== grantType) throw problem('unsupported_grant_type');
}
