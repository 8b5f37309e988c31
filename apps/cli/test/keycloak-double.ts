import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

/** The single sign-on of a person in their browser. */
interface BrowserSession {
  readonly subject: string;
  readonly authenticatedAtS: number;
  readonly acr: string;
  /** Undefined if no mapper adds it to tokens. */
  readonly amr?: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const nowS = (): number => Math.floor(Date.now() / 1000);
const refusal = (status: number, error: string): Answer => ({ status, body: { error } });

/** A realm that behaves as Keycloak does with the command line's client, in this process. */
export class KeycloakDouble {
  readonly clientId = 'pesapost-cli';
  /** The scopes that the client may ask for. */
  scopes = ['openid', 'profile'];
  hasDeviceFlow = true;
  /** The algorithm of identity tokens. */
  alg = 'RS256';
  /** The name that the realm gives itself, if it is not its address. */
  name: string | undefined;
  /** 'hung' never answers. */
  health: 'well' | 'hung' = 'well';
  /** Refresh tokens that the realm gave and still takes, with their subject. Each is replaced by its use. */
  readonly refreshTokens = new Map<string, string>();
  givesRefreshTokens = true;
  /** The answer to a refresh token: an OAuth error, or an HTTP status; undefined if it is renewed. */
  refusesRenewal: string | number | undefined;
  /** The lifespan of an identity token. */
  tokenLifeS = 300;
  /** True if the person declines at the browser. */
  declines = false;
  session: BrowserSession | undefined;
  #server: Server | undefined;
  #keys = new Map<string, { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }>();
  readonly #codes = new Map<string, URLSearchParams>();
  readonly #devices = new Set<string>();

  async start(): Promise<void> {
    for (const alg of ['RS256', 'PS256', 'ES256'])
      this.#keys.set(alg, await generateKeyPair(alg, { extractable: true }));
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((done) => this.#server?.close(done));
  }

  get url(): string {
    return `http://localhost:${(this.#server?.address() as AddressInfo).port}/realms/pesapost`;
  }

  /** Signs in with a browser as the realm's pages do, and comes back to the client. */
  async browse(address: string): Promise<Response> {
    const { searchParams: asked } = new URL(address);
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('state', asked.get('state') ?? '');
    // The port of a loopback address is not compared.
    if (back.hostname !== '127.0.0.1' || back.pathname !== '/callback')
      throw new TypeError('Invalid parameter: redirect_uri');
    const [refused] = (asked.get('scope') ?? '').split(' ').filter((s) => !this.scopes.includes(s));
    if (refused !== undefined) back.searchParams.set('error', 'invalid_scope');
    else if (this.declines) back.searchParams.set('error', 'access_denied');
    else back.searchParams.set('code', this.#grant(asked));
    return fetch(back);
  }

  #grant(asked: URLSearchParams): string {
    const isAskedAnew = asked.get('max_age') === '0' || asked.get('prompt') === 'login';
    const [acr = '1'] = (asked.get('acr_values') ?? '1').split(' ').filter((one) => one !== 'phrh');
    if (!this.session || isAskedAnew)
      this.session = { subject: 'amina', authenticatedAtS: nowS(), acr };
    const code = randomBytes(16).toString('hex');
    this.#codes.set(code, asked);
    return code;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.health === 'hung') return;
    const { status, body } = await this.#answer(request);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const path = `http://localhost:${(this.#server?.address() as AddressInfo).port}${request.url}`;
    if (!path.startsWith(`${this.url}/`)) return refusal(404, 'Realm does not exist');
    const form = new URLSearchParams(await textOf(request));
    switch (path.slice(this.url.length)) {
      case '/.well-known/openid-configuration':
        return { status: 200, body: this.#document() };
      case '/certs':
        return { status: 200, body: { keys: await this.#jwks() } };
      case '/device':
        return this.#device(form);
      case '/token':
        return this.#token(form);
      default:
        return refusal(404, 'not_found');
    }
  }

  #document(): object {
    return {
      issuer: this.name ?? this.url,
      authorization_endpoint: `${this.url}/auth`,
      token_endpoint: `${this.url}/token`,
      device_authorization_endpoint: `${this.url}/device`,
      jwks_uri: `${this.url}/certs`,
      acr_values_supported: ['1', 'phr'],
      id_token_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'HS256', 'EdDSA'],
    };
  }

  #jwks(): Promise<object[]> {
    return Promise.all(
      [...this.#keys].map(async ([alg, { publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        kid: alg,
        alg,
        use: 'sig',
      })),
    );
  }

  /** It ignores `max_age`, `prompt`, `acr_values` and the nonce. */
  #device(form: URLSearchParams): Answer {
    if (!this.hasDeviceFlow) return refusal(401, 'unauthorized_client');
    const scopes = (form.get('scope') ?? '').split(' ');
    if (!scopes.every((scope) => this.scopes.includes(scope))) return refusal(400, 'invalid_scope');
    const device_code = randomBytes(16).toString('hex');
    this.#devices.add(device_code);
    const verification_uri = `${this.url}/device`;
    const body = { device_code, user_code: 'ABCD', verification_uri, expires_in: 600, interval: 1 };
    return { status: 200, body };
  }

  async #token(form: URLSearchParams): Promise<Answer> {
    if (form.get('client_id') !== this.clientId) return refusal(401, 'invalid_client');
    if (form.get('grant_type') === 'refresh_token') return this.#renew(form);
    const isDevice = this.#devices.delete(form.get('device_code') ?? '');
    if (isDevice && this.declines) return refusal(400, 'access_denied');
    const asked = this.#codes.get(form.get('code') ?? '');
    this.#codes.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const isCode =
      asked?.get('code_challenge') === challenge &&
      asked.get('redirect_uri') === form.get('redirect_uri');
    if (!isDevice && !isCode) return refusal(400, 'invalid_grant');
    const session = (this.session ??= { subject: 'amina', authenticatedAtS: nowS(), acr: '1' });
    const nonce = isCode ? asked.get('nonce') : undefined;
    return this.#tokens(session, nonce ?? undefined);
  }

  async #tokens(session: BrowserSession, nonce?: string): Promise<Answer> {
    const refresh_token = `refresh-${randomBytes(16).toString('hex')}`;
    if (this.givesRefreshTokens) this.refreshTokens.set(refresh_token, session.subject);
    const given = this.givesRefreshTokens ? { refresh_token } : {};
    const id_token = await this.#idToken(session, nonce);
    return { status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token, ...given } };
  }

  async #renew(form: URLSearchParams): Promise<Answer> {
    const token = form.get('refresh_token') ?? '';
    const subject = this.refreshTokens.get(token);
    const refused = this.refusesRenewal;
    if (typeof refused === 'number') return { status: refused, body: {} };
    if (subject === undefined || refused !== undefined)
      return refusal(400, refused ?? 'invalid_grant');
    this.refreshTokens.delete(token);
    return this.#tokens({ ...(this.session ?? { authenticatedAtS: nowS(), acr: '1' }), subject });
  }

  #idToken(session: BrowserSession, nonce: string | undefined): Promise<string> {
    const { subject, authenticatedAtS: auth_time, acr, amr } = session;
    const token = new SignJWT({ name: 'Amina', acr, amr, auth_time, ...(nonce && { nonce }) })
      .setProtectedHeader({ alg: this.alg, kid: this.alg })
      .setIssuer(this.name ?? this.url)
      .setAudience(this.clientId)
      .setSubject(subject)
      .setIssuedAt(nowS())
      .setExpirationTime(nowS() + this.tokenLifeS);
    const key =
      this.#keys.get(this.alg)?.privateKey ?? Buffer.from('a secret of thirty-two bytes, so');
    return token.sign(key);
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
