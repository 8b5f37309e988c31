import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import {
  type CryptoKey,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  SignJWT,
  UnsecuredJWT,
} from 'jose';

/** Falsehoods that the issuer says. */
export interface Lie {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** No signature, or one by a key that the issuer withdrew or never had. */
  readonly signedBy?: 'nobody' | 'old-key' | 'unknown-key' | 'client-secret';
  /** The state in its answer to the browser. */
  readonly state?: string;
  readonly withoutIdToken?: true;
  readonly userInfoSubject?: string;
}

interface Granted {
  readonly parameters: URLSearchParams;
  readonly subject: string;
  readonly lie: Lie;
  readonly authenticatedAtMs: number;
  readonly answeredAtMs: number;
}

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

export const clientId = 'portal';
export const clientSecret = 'a secret: with/ reserved + letters';

/** An issuer of identities in this process, which may lie, fall silent or change its keys. */
export class FakeIssuer {
  #server: Server | undefined;
  #url = '';
  #keys: SigningKey[] = [];
  #oldKey: SigningKey | undefined;
  readonly #codes = new Map<string, Granted>();
  /** Requests to the token endpoint. */
  tokenRequests = 0;
  /** 'down' cuts connections, 'hung' never answers, 'broken' answers 500. */
  health: 'well' | 'down' | 'hung' | 'broken' = 'well';
  metadata: Readonly<Record<string, unknown>> = {};
  /** Refresh tokens that it gave and still takes, with their subject. Each is replaced by its use. */
  readonly refreshTokens = new Map<string, string>();
  givesRefreshTokens = false;
  /** Requests with a refresh token. */
  renewals = 0;
  /** Its answer to a refresh token: an OAuth error, or an HTTP status; undefined if it renews. */
  refusesRenewal: string | number | undefined;
  /** True if the address after a sign-out is registered. */
  registersWayBack = true;
  /** Sign-outs that reached the provider: with a hint at once, or after a question. */
  readonly ended: ('at once' | 'asked')[] = [];
  /** The scopes that the client may ask for. Any other one is refused on the way back, as Keycloak does. */
  scopes: readonly string[] = ['openid', 'profile'];

  get url(): string {
    return this.#url;
  }

  async start(): Promise<void> {
    this.#keys = [await newKey('k1', 'ES256')];
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.destroy(error as Error);
      });
    });
    await new Promise<void>((done) => this.#server?.listen(0, '127.0.0.1', done));
    this.#url = `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done));
  }

  /** Signs with a new key from now on, and withdraws the one before. */
  async changeKeys(alg = 'ES256'): Promise<void> {
    [this.#oldKey] = this.#keys;
    this.#keys = [await newKey(`k${this.#keys.length + 1}-${randomBytes(4).toString('hex')}`, alg)];
  }

  /**
   * Signs a person in at the page to which a browser was sent.
   * @returns the address to which the browser goes then
   */
  approve(
    authorizationUrl: string,
    {
      subject = 'amina',
      lie = {},
      ageMs = 0,
    }: { subject?: string; lie?: Lie; ageMs?: number } = {},
  ): string {
    const { searchParams: parameters } = new URL(authorizationUrl);
    const code = randomBytes(16).toString('hex');
    const answeredAtMs = Date.now();
    const authenticatedAtMs = answeredAtMs - ageMs;
    this.#codes.set(code, { parameters, subject, lie, authenticatedAtMs, answeredAtMs });
    const scopes = (parameters.get('scope') ?? '').split(' ');
    if (!scopes.every((scope) => this.scopes.includes(scope)))
      return this.decline(authorizationUrl, 'invalid_scope');
    const back = new URL(parameters.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', lie.state ?? parameters.get('state') ?? '');
    return back.href;
  }

  /**
   * Refuses a sign-in at the page to which a browser was sent.
   * @returns the address to which the browser goes then
   */
  decline(authorizationUrl: string, error = 'access_denied'): string {
    const { searchParams: parameters } = new URL(authorizationUrl);
    const back = new URL(parameters.get('redirect_uri') ?? '');
    back.searchParams.set('error', error);
    back.searchParams.set('state', parameters.get('state') ?? '');
    return back.href;
  }

  /** A token for the command line: the person has just signed in there. */
  async commandLineToken(subject: string): Promise<string> {
    const auth_time = Math.floor(Date.now() / 1000);
    const claims = { aud: 'pesapost-cli', sub: subject, name: subject, auth_time, acr: 'phr' };
    return this.sign(claims);
  }

  /** A token that it signs, of this second and for an hour unless the claims say otherwise. */
  sign(claims: object, header: object = {}): Promise<string> {
    const [key] = this.#keys;
    if (!key) throw new TypeError('the issuer has not started');
    const { alg, kid, privateKey } = key;
    const iat = Math.floor(Date.now() / 1000);
    return new SignJWT({ iss: this.#url, iat, exp: iat + 3600, ...claims })
      .setProtectedHeader({ alg, kid, ...header })
      .sign(privateKey);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.health === 'down') return void response.destroy();
    if (this.health === 'hung') return;
    if (this.health === 'broken') {
      send(response, 500, { error: 'server_error' });
      return;
    }
    const { pathname } = new URL(request.url ?? '', this.#url);
    if (pathname === '/.well-known/openid-configuration') send(response, 200, this.#document());
    else if (pathname === '/keys') send(response, 200, { keys: await this.#jwks() });
    else if (pathname === '/token') await this.#token(request, response);
    else if (pathname === '/me') this.#userInfo(request, response);
    else if (pathname === '/end') this.#end(request, response);
    else send(response, 404, { error: 'not_found' });
  }

  #document() {
    return {
      issuer: this.#url,
      authorization_endpoint: `${this.#url}/authorize`,
      token_endpoint: `${this.#url}/token`,
      userinfo_endpoint: `${this.#url}/me`,
      jwks_uri: `${this.#url}/keys`,
      end_session_endpoint: `${this.#url}/end`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      // The issuer offers more than we accept.
      id_token_signing_alg_values_supported: [
        ...['RS256', 'ES256', 'HS256', 'none'],
        ...['PS256', 'RS512', 'EdDSA'],
      ],
      ...this.metadata,
    };
  }

  #jwks() {
    return Promise.all(
      this.#keys.map(async ({ kid, alg, publicKey }) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg,
        use: 'sig',
      })),
    );
  }

  async #token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.tokenRequests += 1;
    const form = new URLSearchParams(await bodyOf(request));
    const code = form.get('code') ?? '';
    const granted = this.#codes.get(code);
    this.#codes.delete(code);
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!isOurClient(request)) {
      send(response, 401, {
        error: 'unauthorized_client',
        error_description: 'Invalid client or Invalid client credentials',
      });
      return;
    }
    if (form.get('grant_type') === 'refresh_token') {
      await this.#renew(form.get('refresh_token') ?? '', response);
      return;
    }
    const isFit =
      granted?.parameters.get('code_challenge') === proof &&
      granted.parameters.get('redirect_uri') === form.get('redirect_uri');
    if (!isFit) {
      send(response, 400, { error: 'invalid_grant' });
      return;
    }
    const idToken = granted.lie.withoutIdToken ? undefined : await this.#idToken(granted);
    const accessToken = granted.lie.userInfoSubject ?? granted.subject;
    const refresh_token = this.givesRefreshTokens ? this.#refreshToken(granted.subject) : undefined;
    const given = { access_token: accessToken, token_type: 'Bearer', refresh_token };
    send(response, 200, { ...given, id_token: idToken });
  }

  #refreshToken(subject: string): string {
    const token = `refresh-${randomBytes(16).toString('hex')}`;
    this.refreshTokens.set(token, subject);
    return token;
  }

  async #renew(token: string, response: ServerResponse): Promise<void> {
    this.renewals += 1;
    const subject = this.refreshTokens.get(token);
    if (typeof this.refusesRenewal === 'number') {
      send(response, this.refusesRenewal, {});
      return;
    }
    const error = subject === undefined ? 'invalid_grant' : this.refusesRenewal;
    if (subject === undefined || error !== undefined) {
      send(response, 400, { error, error_description: 'Session not active' });
      return;
    }
    this.refreshTokens.delete(token);
    const id_token = await this.sign({ aud: clientId, sub: subject });
    const refresh_token = this.#refreshToken(subject);
    send(response, 200, { access_token: subject, token_type: 'Bearer', id_token, refresh_token });
  }

  async #idToken({
    parameters,
    subject,
    lie,
    authenticatedAtMs,
    answeredAtMs,
  }: Granted): Promise<string> {
    // The time of the sign-in page, so that an answer in the next second is not taken for one that is a second older.
    const now = Math.floor(answeredAtMs / 1000);
    const claims = {
      iss: this.#url,
      aud: clientId,
      sub: subject,
      iat: now,
      exp: now + 300,
      nonce: parameters.get('nonce'),
      auth_time: Math.floor(authenticatedAtMs / 1000),
      sid: `sid-of-${subject}`,
      ...lie.claims,
    };
    if (lie.signedBy === 'nobody') return new UnsecuredJWT(claims).encode();
    if (lie.signedBy === 'client-secret')
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(Buffer.from(clientSecret.padEnd(32, ' ')));
    const key = lie.signedBy === 'unknown-key' ? await newKey('k1', 'ES256') : this.#keys[0];
    const signer = lie.signedBy === 'old-key' ? this.#oldKey : key;
    if (!signer) throw new TypeError('there is no such key');
    const header = { alg: signer.alg, kid: signer.kid };
    return new SignJWT(claims).setProtectedHeader(header).sign(signer.privateKey);
  }

  /** As Keycloak: an error page for an unknown address, and for a hint whose key is gone. It ends nothing then. */
  #end(request: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(request.url ?? '', this.#url);
    const [hint, back] = ['id_token_hint', 'post_logout_redirect_uri'].map((name) =>
      searchParams.get(name),
    );
    const isKnown = !hint || this.#keys.some(({ kid }) => kid === decodeProtectedHeader(hint).kid);
    const isRegistered = !back || (this.registersWayBack && back.endsWith('/portal/signed-out'));
    if (isKnown && isRegistered) this.ended.push(hint ? 'at once' : 'asked');
    send(response, isKnown && isRegistered ? 200 : 400, {});
  }

  #userInfo({ headers }: IncomingMessage, response: ServerResponse): void {
    const subject = (headers.authorization ?? '').replace('Bearer ', '');
    send(response, 200, { sub: subject, name: `${subject} <b>of Duka</b>` });
  }
}

async function newKey(kid: string, alg: string): Promise<SigningKey> {
  return { kid, alg, ...(await generateKeyPair(alg, { extractable: true })) };
}

/** By RFC 6749 §2.3.1, each half is form-encoded first. */
function isOurClient({ headers }: IncomingMessage): boolean {
  const [, base64 = ''] = (headers.authorization ?? '').split('Basic ');
  const halves = Buffer.from(base64, 'base64').toString().split(':');
  const [id, secret] = halves.map((half) => new URLSearchParams(`x=${half}`).get('x'));
  return id === clientId && secret === clientSecret;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
