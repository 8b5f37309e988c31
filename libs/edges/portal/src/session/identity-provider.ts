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
// This imports types as a whole: an import of names that are marked as types would remain when empty, and load the
// library.
import type { Configuration, IDToken } from 'openid-client';
import { PortalOptions } from '../portal-options.js';
import { isKeyPublished, isWayBackRegistered } from './end-of-session.js';
import { nameOf, textOf } from './person-name.js';
import { ProviderConnection } from './provider-connection.js';
import { failureOf, SignInFailure } from './sign-in-failure.js';

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
  /** `sid`: the provider's name of its own session, if it gives one. */
  readonly providerSession: string | undefined;
  /** Asks the provider later if the person may stay; undefined if it gives none. */
  readonly refreshToken: string | undefined;
};

/** The longest `sid` that is kept. */
const maxSidLength = 255;

const log = new Logger('portal');

/** The rule of live mode about proofs of presence (POR-10). */
export abstract class PresenceRule {
  /**
   * True if only `phr` and `phrh` prove presence.
   * @throws DependencyUnavailable
   */
  abstract isStrongOnly(): Promise<boolean>;
}

/** Signs people in and out at the issuer. */
@Injectable()
export class IdentityProvider implements OnModuleInit {
  private readonly refusesWeakIssuer: boolean;
  private readonly redirectUri: string;
  private readonly signedOutUri: string;

  constructor(
    private readonly connection: ProviderConnection,
    private readonly presence: PresenceRule,
    { url, refusesWeakIssuer }: PortalOptions,
  ) {
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
    const metadata = await this.connection.metadata().catch(() => undefined);
    const { acr_values_supported: offered } = metadata ?? {};
    const counting = strongOnly(this.connection.options.stepUpAcr);
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
    const { client, configuration } = await this.connection.open();
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
    const { stepUpAcr: named } = this.connection.options;
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
    const { client, configuration } = await this.connection.open();
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
      const { id_token: idToken, refresh_token: refreshToken } = tokens;
      if (!claims || idToken === undefined) throw new SignInFailure('untrusted');
      if (pending.proof) assertStrong(pending.proof, claims['acr']);
      warnOfLabel(claims['acr'], claims['amr']);
      const name = await nameOf({ client, configuration }, claims, tokens.access_token);
      return { ...seenIn(claims, pending.begunAtMs), name, idToken, refreshToken };
    } catch (error) {
      throw failureOf(client, error, this.connection.options.issuer);
    }
  }

  /**
   * The address at which the provider ends its own session, or undefined if it offers none or does not answer. It has
   * neither a hint nor a way back that the provider would refuse.
   * @param idToken names the session, so that the provider need not ask
   */
  async endOfSession(language: Language, idToken: string | undefined): Promise<string | undefined> {
    try {
      const { client, configuration } = await this.connection.open();
      const metadata = configuration.serverMetadata();
      const { end_session_endpoint: endpoint, jwks_uri: keys } = metadata;
      if (endpoint === undefined) return undefined;
      const { clientId } = this.connection.options;
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
}

/** The person in a token, and the time at which the provider saw them. */
function seenIn(claims: IDToken, begunAtMs: number) {
  const { iss: issuer, sub: subject, auth_time: authTime, iat, sid } = claims;
  const authenticatedAt = new Date((authTime ?? iat) * 1000);
  const issuedAt = new Date(iat * 1000);
  const isAnew = wasSeenSince(begunAtMs, { authenticatedAt, issuedAt, now: new Date() });
  const isNamed = typeof sid === 'string' && sid !== '' && sid.length <= maxSidLength;
  const person = { issuer, subject };
  return { person, authenticatedAt, isAnew, providerSession: isNamed ? sid : undefined };
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
