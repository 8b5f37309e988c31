import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { callerAddress, type RawBody, rawBody, WithoutAuthentication } from '#http';
import { Database, insertAccessToken } from '#postgres';
import { hashSecret, newSecret } from '#signing';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';
import { ClientAuthentication } from './client-authentication.js';

const tokenLifeSeconds = 3600;

/** RFC 6749 §5.1. */
interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
}

/** OAuth 2.0 client credentials (RFC 6749 §4.4). Tokens are opaque and stored hashed; a new one ends no other. */
@Controller('api/v4/oauth')
@WithoutAuthentication('the client secret is what authenticates here')
export class TokenController {
  constructor(
    private readonly clients: ClientAuthentication,
    private readonly database: Database,
  ) {}

  @Post('token')
  @HttpCode(200)
  async token(@Req() request: FastifyRequest): Promise<TokenResponse> {
    const credentialId = await this.clients.authenticate(
      request.headers.authorization,
      callerAddress(request),
    );
    checkGrant(rawBody(request));
    const token = newSecret();
    await insertAccessToken(this.database, {
      tokenHash: hashSecret(token),
      credentialId,
      lifetimeMs: tokenLifeSeconds * 1000,
    });
    return { access_token: token, token_type: 'Bearer', expires_in: tokenLifeSeconds };
  }
}

function checkGrant(body: RawBody | undefined): void {
  if (body?.mediaType !== 'application/x-www-form-urlencoded')
    throw problem('unsupported_media_type');
  const grantTypes = body.form().getAll('grant_type');
  if (grantTypes.length !== 1)
    throw problem('invalid_request', { detail: 'grant_type must be given once.' });
  if (grantTypes[0] !== 'client_credentials') throw problem('unsupported_grant_type');
}
