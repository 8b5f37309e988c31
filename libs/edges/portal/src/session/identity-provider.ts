import { Injectable, Logger } from '@nestjs/common';
import { isStepUp, type Person, type StepUpProof, stepUpProof, wasSeenSince } from '#domain/people';
import { type Language } from '#shared/http';
// A whole import of types: of one with names marked as types, an empty import would stay and load the library.
import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import { type IssuerOptions, PortalOptions } from '../portal-options.js';

type Client = typeof import('openid-client');

/** What the browser keeps, sealed, while its person is at the provider. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** PKCE's. */
  readonly verifier: string;
  /** Milliseconds of the epoch. */
  readonly begunAtMs: number;
  /** Where presence is to be proved again: what was asked for. */
  readonly proof?: StepUpProof;
}

/** What a person goes to the provider for. */
export interface SignInRequest {
  /** Of the provider's pages, where it has them. */
  readonly language: Language;
  /** Of what the person is to prove presence for; the provider signs it within the nonce. */
  readonly digest?: Buffer | undefined;
}

/** Whom the provider named, and when it last saw that it is them. */
export interface Authenticated {
  readonly person: Person;
  readonly name: string;
  readonly authenticatedAt: Date;
}

/** What a sign-in gave. */
export type Answer = Authenticated & {
  /** As the provider signed it: tells it later whose session is to end. */
  readonly idToken: string;
  /** False if the issuer saw the person before they were sent to it: it is no proof of presence then. */
  readonly isAnew: boolean;
};

/** Why nobody could be signed in: the provider is away, what it said is not to be trusted, or it proves too little. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  constructor(
    readonly why: 'unavailable' | 'untrusted' | 'weak' | 'denied',
    options?: ErrorOptions,
  ) {
    super(why, options);
  }
}

/** Whatever else a provider offers: symmetric keys and `none` are no proof, and of the others two are enough (POR-2). */
const algorithms = ['RS256', 'ES256'];
/** For each call of the provider. */
const timeoutSeconds = 5;
/** How long what the provider says of itself is believed. Its keys are asked for at each sign-in. */
const metadataMaxAgeMs = 10 * 60_000;
const maxNameLength = 100;

const log = new Logger('portal');

/** Speaks OpenID Connect with the issuer; its library is loaded when the first person signs in. */
@Injectable()
export class IdentityProvider {
  private readonly options: IssuerOptions;
  private readonly redirectUri: string;
  private readonly signedOutUri: string;
  private known:
    { readonly metadata: Promise<ServerMetadata>; readonly readAtMs: number } | undefined;

  constructor({ url, issuer }: PortalOptions) {
    if (!issuer) throw new TypeError('without an issuer nobody signs in');
    this.options = issuer;
    this.redirectUri = `${url}/portal/callback`;
    this.signedOutUri = `${url}/portal/signed-out`;
  }

  /** Where the browser goes to sign in. @throws SignInFailure */
  async begin({
    language,
    digest,
  }: SignInRequest): Promise<{ readonly url: string; readonly pending: PendingSignIn }> {
    const client = await library();
    const configuration = await this.configuration();
    const random = client.randomNonce();
    const proof = digest && this.presenceAnew(configuration);
    const pending: PendingSignIn = {
      state: client.randomState(),
      nonce: digest ? `${random}.${digest.toString('base64url')}` : random,
      verifier: client.randomPKCECodeVerifier(),
      begunAtMs: Date.now(),
      ...(proof && { proof }),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: 'openid profile',
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
      ui_locales: language,
      // It is to see the person now, whatever it remembers.
      ...(proof && { max_age: '0', prompt: 'login' }),
      ...(proof && proof.asked.length > 0 && { acr_values: proof.asked.join(' ') }),
    });
    return { url: url.href, pending };
  }

  private presenceAnew(configuration: Configuration): StepUpProof {
    const { acr_values_supported: offered = [] } = configuration.serverMetadata();
    return stepUpProof(this.options.stepUpAcr, offered);
  }

  /**
   * Whom the provider named in its answer. State, nonce, issuer, audience, times and signature are checked; of a proof of
   * presence also that it is one of those that were asked for (POR-10).
   * @param query of the callback, as sent
   * @throws SignInFailure
   */
  async finish(query: string, pending: PendingSignIn): Promise<Answer> {
    const client = await library();
    const configuration = await this.configuration();
    try {
      const tokens = await client.authorizationCodeGrant(
        configuration,
        new URL(`${this.redirectUri}?${query}`),
        {
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          pkceCodeVerifier: pending.verifier,
          idTokenExpected: true,
          ...(pending.proof && { maxAge: 0 }),
        },
      );
      const claims = tokens.claims();
      const { id_token: idToken } = tokens;
      if (!claims || idToken === undefined) throw new SignInFailure('untrusted');
      const { iss: issuer, sub: subject, auth_time: authTime, iat } = claims;
      const authenticatedAt = new Date((authTime ?? iat) * 1000);
      if (pending.proof && !isStepUp(pending.proof, claims['acr'])) throw new SignInFailure('weak');
      const isAnew = wasSeenSince(pending.begunAtMs, {
        authenticatedAt,
        issuedAt: new Date(iat * 1000),
        now: new Date(),
      });
      const name =
        textOf(claims['name']) ??
        textOf((await userInfo(client, configuration, tokens.access_token, subject))['name']) ??
        textOf(claims['preferred_username']);
      const person = { issuer, subject };
      return { person, name: name ?? subject, authenticatedAt, idToken, isAnew };
    } catch (error) {
      throw failureOf(client, error);
    }
  }

  /**
   * Where the provider ends its own session; undefined where it offers that nowhere, or does not answer.
   * @param idToken whose session it is: then it need not ask
   */
  async endOfSession(language: Language, idToken: string | undefined): Promise<string | undefined> {
    try {
      const client = await library();
      const configuration = await this.configuration();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      const parameters = {
        post_logout_redirect_uri: this.signedOutUri,
        ui_locales: language,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      };
      return client.buildEndSessionUrl(configuration, parameters).href;
    } catch (error) {
      if (error instanceof SignInFailure) return undefined;
      throw error;
    }
  }

  /** A new one each time: the library keeps keys with it for minutes, and one that was withdrawn shall count no more. */
  private async configuration(): Promise<Configuration> {
    const client = await library();
    const metadata = await this.metadata(client);
    const { clientId, clientSecret } = this.options;
    const made = new client.Configuration(
      { ...metadata, id_token_signing_alg_values_supported: algorithmsOf(metadata) },
      clientId,
      {},
      authentication(client, clientSecret),
    );
    made.timeout = timeoutSeconds;
    client.enableNonRepudiationChecks(made);
    if (this.isPlainHttp) allowPlainHttp(client)(made);
    return made;
  }

  /** OIDC_ISSUER says so itself; live mode refuses it (POR-1). */
  private get isPlainHttp(): boolean {
    return this.options.issuer.startsWith('http:');
  }

  private metadata(client: Client): Promise<ServerMetadata> {
    if (this.known && performance.now() - this.known.readAtMs < metadataMaxAgeMs)
      return this.known.metadata;
    const metadata = this.discover(client);
    this.known = { metadata, readAtMs: performance.now() };
    // Who comes next asks again.
    metadata.catch(() => (this.known = undefined));
    return metadata;
  }

  private async discover(client: Client): Promise<ServerMetadata> {
    const { issuer, clientId } = this.options;
    try {
      const found = await client.discovery(new URL(issuer), clientId, {}, client.None(), {
        timeout: timeoutSeconds,
        ...(this.isPlainHttp && { execute: [allowPlainHttp(client)] }),
      });
      return namedAs(issuer, found.serverMetadata());
    } catch (error) {
      log.warn({ msg: 'the identity provider could not be asked', ...codeOf(error) });
      throw new SignInFailure('unavailable', { cause: error });
    }
  }
}

/**
 * The library takes `https://id.example/` for `https://id.example`; what people do is told by the name to the letter.
 * @throws TypeError where the provider writes itself otherwise
 */
function namedAs(issuer: string, metadata: ServerMetadata): ServerMetadata {
  if (metadata.issuer === issuer) return metadata;
  log.warn({
    msg: 'OIDC_ISSUER is not written as the provider writes itself',
    itself: metadata.issuer,
  });
  throw new TypeError('the provider writes itself otherwise');
}

let loading: Promise<Client> | undefined;

/** Some 20 ms, which the start of the API need not wait for. */
function library(): Promise<Client> {
  return (loading ??= import('openid-client'));
}

/** An issuer on this machine has no certificate. */
function allowPlainHttp(client: Client): (configuration: Configuration) => void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- only marked so, to stand out; live mode refuses such an issuer
  return client.allowInsecureRequests;
}

/** Basic is every provider's default; one that does not know it says so. */
function authentication(client: Client, secret: string | undefined): ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (known.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** Without a word of the provider, its standard's default. */
function algorithmsOf({ id_token_signing_alg_values_supported: named }: ServerMetadata): string[] {
  return named ? algorithms.filter((algorithm) => named.includes(algorithm)) : ['RS256'];
}

/** Providers may keep a person's name out of the token. Without it the subject is shown. */
async function userInfo(
  client: Client,
  configuration: Configuration,
  accessToken: string,
  subject: string,
): Promise<Record<string, unknown>> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
  try {
    return await client.fetchUserInfo(configuration, accessToken, subject);
  } catch (error) {
    log.warn({ msg: 'the identity provider told no name', ...codeOf(error) });
    return {};
  }
}

/** Without what would show the name in another order, or as somebody else's. */
function textOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const text = claim.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  return text === '' ? undefined : text.slice(0, maxNameLength);
}

/** The library's words for an answer that is none: no server, or one that is not itself. */
const awayCodes: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]);

function failureOf(client: Client, error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  const options = { cause: error };
  if (error instanceof client.AuthorizationResponseError)
    return new SignInFailure('denied', options);
  if (error instanceof client.ResponseBodyError && error.status >= 500)
    return new SignInFailure('unavailable', options);
  const { code } = codeOf(error);
  const isAway = awayCodes.has(code) || isUnreachable(error);
  log.warn({ msg: 'an answer of the identity provider was refused', code });
  return new SignInFailure(isAway ? 'unavailable' : 'untrusted', options);
}

/** How `fetch` says that there was no answer; the library hands it on, or wraps it. */
function isUnreachable(error: unknown): boolean {
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
  return (
    message === 'fetch failed' ||
    (typeof cause === 'object' && cause !== null && isUnreachable(cause))
  );
}

/** Of an error its code alone: causes hold tokens and claims. */
function codeOf(error: unknown): { readonly code: string } {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  const [text] = [code, name].filter((value) => typeof value === 'string');
  return { code: text ?? 'unknown' };
}
