import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import {
  isMislabelled,
  isStepUp,
  type Person,
  type StepUpProof,
  stepUpProof,
  strongOnly,
  wasSeenSince,
} from '#domain/people';
import { type Language } from '#shared/http';
import { acceptedAlgorithms } from '#shared/openid';
// This imports types as a whole: an import of names that are marked as types would remain when empty, and load the
// library.
import type { ClientAuth, Configuration, ServerMetadata } from 'openid-client';
import { type IssuerOptions, PortalOptions } from '../portal-options.js';
import { isKeyPublished, isWayBackRegistered } from './end-of-session.js';
import { nameOf, textOf } from './person-name.js';
import { discoveryFailureOf, failureOf, namedAs, SignInFailure } from './sign-in-failure.js';

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

/** The limit for each call of the provider. */
const timeoutSeconds = 5;
/** Time for which the provider's metadata is trusted. Its keys are read anew at each sign-in. */
const metadataMaxAgeMs = 10 * 60_000;

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
      if (pending.proof) assertStrong(pending.proof, claims['acr']);
      const isAnew = wasSeenSince(pending.begunAtMs, {
        authenticatedAt,
        issuedAt: new Date(iat * 1000),
        now: new Date(),
      });
      warnOfLabel(claims['acr'], claims['amr']);
      const name = await nameOf({ client, configuration }, claims, tokens.access_token);
      return { person: { issuer, subject }, name, authenticatedAt, idToken, isAnew };
    } catch (error) {
      throw failureOf(client, error, this.options.issuer);
    }
  }

  /**
   * The address at which the provider ends its own session, or undefined if it offers none or does not answer. It has
   * neither a hint nor a way back that the provider would refuse.
   * @param idToken names the session, so that the provider need not ask
   */
  async endOfSession(language: Language, idToken: string | undefined): Promise<string | undefined> {
    try {
      const client = await library();
      const configuration = await this.configuration();
      const metadata = configuration.serverMetadata();
      const { end_session_endpoint: endpoint, jwks_uri: keys } = metadata;
      if (endpoint === undefined) return undefined;
      const { clientId } = this.options;
      const [hasKey, leadsBack] = await Promise.all([
        idToken !== undefined && isKeyPublished(keys, idToken),
        isWayBackRegistered(endpoint, { clientId, wayBack: this.signedOutUri }),
      ]);
      const parameters = {
        ui_locales: language,
        ...(leadsBack && { post_logout_redirect_uri: this.signedOutUri }),
        ...(idToken !== undefined && hasKey && { id_token_hint: idToken }),
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
    const { id_token_signing_alg_values_supported: offered } = metadata;
    const made = new client.Configuration(
      { ...metadata, id_token_signing_alg_values_supported: acceptedAlgorithms(offered) },
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
      throw error instanceof SignInFailure ? error : discoveryFailureOf(error, issuer);
    }
  }
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

/** Warns about a provider that calls a password a passkey. Anyone who learns the password then proves presence. */
function warnOfLabel(acr: unknown, amr: unknown): void {
  if (!isMislabelled(acr, amr)) return;
  const msg =
    'the identity provider names a proof phishing-resistant that a page in between can relay: check its table of acr values';
  log.warn({ msg, acr, amr });
}

/** @throws SignInFailure that names the `acr` received and those required */
function assertStrong(proof: StepUpProof, acr: unknown): void {
  if (isStepUp(proof, acr)) return;
  const received = textOf(acr);
  throw new SignInFailure('weak', { proof: { received, required: proof.asked } });
}
