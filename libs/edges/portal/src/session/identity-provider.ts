import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import {
  isStepUp,
  type Person,
  type StepUpProof,
  stepUpProof,
  strongOnly,
  wasSeenSince,
} from '#domain/people';
import { type Language } from '#shared/http';
// This imports types as a whole: an import of names that are marked as types would remain when empty, and load the
// library.
import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import { type IssuerOptions, PortalOptions } from '../portal-options.js';

type Client = typeof import('openid-client');

/** The data that the browser keeps, sealed, while its person is at the provider. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE. */
  readonly verifier: string;
  /** Milliseconds of the epoch. */
  readonly begunAtMs: number;
  /** The `acr` values that were asked for, if presence is to be proved again. */
  readonly proof?: StepUpProof;
}

/** A person's way to the provider. */
export interface SignInRequest {
  /** The language of the provider's pages, if it offers several. */
  readonly language: Language;
  /** The digest of the form for which the person proves presence. The provider signs it within the nonce. */
  readonly digest?: Buffer | undefined;
}

/** The person whom the provider named, and when it last saw them. */
export interface Authenticated {
  readonly person: Person;
  readonly name: string;
  readonly authenticatedAt: Date;
}

/** The result of a sign-in. */
export type Answer = Authenticated & {
  /** The token as the provider signed it. It later names the session to end. */
  readonly idToken: string;
  /** False if the issuer saw the person before they were sent to it: then it is no proof of presence. */
  readonly isAnew: boolean;
};

/** The reason why a sign-in failed: the provider is down, its answer cannot be trusted, or it proves too little. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  constructor(
    readonly why: 'unavailable' | 'untrusted' | 'weak' | 'denied',
    options?: ErrorOptions,
  ) {
    super(why, options);
  }
}

/**
 * Signature algorithms that we accept, whatever else a provider offers: symmetric keys and `none` prove nothing, and of
 * the others two are enough (POR-2).
 */
const algorithms = ['RS256', 'ES256'];
/** The limit for each call of the provider. */
const timeoutSeconds = 5;
/** Time for which the provider's metadata is trusted. Its keys are read anew at each sign-in. */
const metadataMaxAgeMs = 10 * 60_000;
const maxNameLength = 100;

const log = new Logger('portal');

/** The rule of live mode about proofs of presence (POR-10). */
export abstract class PresenceRule {
  /**
   * True if only `phr` and `phrh` prove presence.
   * @throws DependencyUnavailable
   */
  abstract isStrongOnly(): Promise<boolean>;
}

/**
 * Speaks OpenID Connect with the issuer. It loads the library when the first person signs in or, in live mode, at start.
 */
@Injectable()
export class IdentityProvider implements OnModuleInit {
  private readonly options: IssuerOptions;
  private readonly refusesWeakIssuer: boolean;
  private readonly redirectUri: string;
  private readonly signedOutUri: string;
  private known:
    { readonly metadata: Promise<ServerMetadata>; readonly readAtMs: number } | undefined;

  constructor(
    { url, issuer, refusesWeakIssuer }: PortalOptions,
    private readonly presence: PresenceRule,
  ) {
    if (!issuer) throw new TypeError('signing in needs an issuer');
    this.options = issuer;
    this.refusesWeakIssuer = refusesWeakIssuer;
    this.redirectUri = `${url}/portal/callback`;
    this.signedOutUri = `${url}/portal/signed-out`;
  }

  /**
   * Refuses an issuer that lists its proofs of presence, but none that counts (OPS-12). An issuer that lists none, or
   * does not answer, is judged by each proof.
   * @throws Error that prevents the start
   */
  async onModuleInit(): Promise<void> {
    if (!this.refusesWeakIssuer) return;
    const metadata = await this.metadata(await library()).catch(() => undefined);
    const { acr_values_supported: offered } = metadata ?? {};
    const counting = strongOnly(this.options.stepUpAcr);
    if (!offered || counting.some((acr) => offered.includes(acr))) return;
    throw new Error(
      `OIDC_ISSUER: cannot prove presence in live mode, since its acr_values_supported lists none of ${counting.join(', ')} (ALLOW_UNSAFE=weak-presence lifts this rule)`,
    );
  }

  /**
   * @returns the address to which the browser goes to sign in
   * @throws SignInFailure, DependencyUnavailable
   */
  async begin({
    language,
    digest,
  }: SignInRequest): Promise<{ readonly url: string; readonly pending: PendingSignIn }> {
    const client = await library();
    const configuration = await this.configuration();
    const random = client.randomNonce();
    const proof = digest && (await this.presenceAnew(configuration));
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
      // The provider must see the person now, whatever it remembers.
      ...(proof && { max_age: '0', prompt: 'login' }),
      ...(proof && proof.asked.length > 0 && { acr_values: proof.asked.join(' ') }),
    });
    return { url: url.href, pending };
  }

  private async presenceAnew(configuration: Configuration): Promise<StepUpProof> {
    const { acr_values_supported: offered = [] } = configuration.serverMetadata();
    const { stepUpAcr: named } = this.options;
    const counting = (await this.presence.isStrongOnly()) ? strongOnly(named) : named;
    return stepUpProof(counting, offered);
  }

  /**
   * Reads the person from the provider's answer. It checks state, nonce, issuer, audience, times and signature. For a
   * proof of presence it also checks that the proof is one of those that were asked for (POR-10).
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
   * The address at which the provider ends its own session, or undefined if it offers none or does not answer.
   * @param idToken names the session, so that the provider need not ask
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

  /** Makes a new configuration each time: the library keeps keys in it for minutes, but a withdrawn key must not count. */
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

  /** True if OIDC_ISSUER itself begins with http; live mode refuses such an issuer (POR-1). */
  private get isPlainHttp(): boolean {
    return this.options.issuer.startsWith('http:');
  }

  private metadata(client: Client): Promise<ServerMetadata> {
    if (this.known && performance.now() - this.known.readAtMs < metadataMaxAgeMs)
      return this.known.metadata;
    const metadata = this.discover(client);
    this.known = { metadata, readAtMs: performance.now() };
    // After a failure, the next sign-in reads the metadata again.
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
 * The library takes `https://id.example/` for `https://id.example`. Events name people by the exact name of the issuer,
 * so this rejects any other spelling.
 * @throws TypeError if the provider spells its name otherwise
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

/** Loads the library when it is needed: it takes some 20 ms, which the start of the API must not wait for. */
function library(): Promise<Client> {
  return (loading ??= import('openid-client'));
}

/** Allows plain http, because an issuer on this machine has no certificate. */
function allowPlainHttp(client: Client): (configuration: Configuration) => void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- only marked so, to stand out; live mode refuses such an issuer
  return client.allowInsecureRequests;
}

/** Uses Basic, which is every provider's default, unless the provider lists only other methods. */
function authentication(client: Client, secret: string | undefined): ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const known = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (known.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** If the provider names no algorithms, the standard's default applies. */
function algorithmsOf({ id_token_signing_alg_values_supported: named }: ServerMetadata): string[] {
  return named ? algorithms.filter((algorithm) => named.includes(algorithm)) : ['RS256'];
}

/** Reads the person's name, which providers may leave out of the token. Without a name the subject is shown. */
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

/** Removes characters that would reorder the name or show it as another person's. */
function textOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const text = claim.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '').trim();
  return text === '' ? undefined : text.slice(0, maxNameLength);
}

/** The library's codes for a missing answer: there is no server, or another server answered. */
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

/** True if `fetch` got no answer. The library passes its error on, or wraps it. */
function isUnreachable(error: unknown): boolean {
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
  return (
    message === 'fetch failed' ||
    (typeof cause === 'object' && cause !== null && isUnreachable(cause))
  );
}

/** Only the code of an error: its causes hold tokens and claims. */
function codeOf(error: unknown): { readonly code: string } {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  const [text] = [code, name].filter((value) => typeof value === 'string');
  return { code: text ?? 'unknown' };
}
