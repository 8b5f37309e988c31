import { LRUCache } from 'lru-cache';
import { type Passkey, type Passkeys } from './passkeys.js';
import { type DemoPerson } from './settings.js';

/** As long as somebody may need to find their key. */
const challengeMs = 5 * 60_000;
/** Sign-ins that are under way. */
const maxChallenges = 1000;
/** EdDSA, ES256 and RS256 (COSE): what devices have. */
const algorithms = [-8, -7, -257] as const;
/** What passkeys are bound to: the name of this machine alone. */
const rpId = 'localhost';

/** Passkeys at sign-in: what browsers are asked for, and whether their answers hold (WebAuthn). */
export class Ceremonies {
  /** By sign-in: the last page's counts, once. */
  readonly #challenges = new LRUCache<string, string>({ max: maxChallenges, ttl: challengeMs });

  constructor(
    private readonly passkeys: Passkeys,
    /** The provider's own. */
    private readonly origin: string,
  ) {}

  /**
   * What a page asks its browser for, as JSON.
   * @param signIn which one it is
   * @param of undefined: whoever has one here
   */
  async request(signIn: string, of: readonly Passkey[] | undefined): Promise<string> {
    const { generateAuthenticationOptions } = await library();
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      userVerification: 'required',
      timeout: challengeMs,
      ...(of && { allowCredentials: of.map(({ id }) => ({ id })) }),
    });
    this.#challenges.set(signIn, options.challenge);
    return JSON.stringify(options);
  }

  /** @param answer what the browser sent. @returns whose passkey it is; undefined where it is none, or proves nothing */
  async signedBy(signIn: string, answer: string): Promise<string | undefined> {
    const [expectedChallenge, response] = [this.#take(signIn), credentialFrom(answer)];
    const passkey = response && this.passkeys.find(response.id);
    if (expectedChallenge === undefined || !passkey) return undefined;
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as never,
      expectedChallenge,
      expectedOrigin: this.origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
      },
    }).catch(() => ({ verified: false, authenticationInfo: undefined }));
    if (!verified || !authenticationInfo) return undefined;
    await this.passkeys.used(passkey, authenticationInfo.newCounter);
    return passkey.subject;
  }

  /** What a page has its browser make, as JSON. */
  async creation(signIn: string, { subject, login, name }: DemoPerson): Promise<string> {
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      rpName: 'PesaPost demo',
      rpID: rpId,
      timeout: challengeMs,
      attestationType: 'none',
      userID: new Uint8Array(Buffer.from(subject)),
      userName: login,
      userDisplayName: name,
      supportedAlgorithmIDs: [...algorithms],
      excludeCredentials: this.passkeys.of(subject).map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    this.#challenges.set(signIn, options.challenge);
    return JSON.stringify(options);
  }

  /** Keeps the passkey that a browser made. @returns false where it made none that counts */
  async register(signIn: string, { subject }: DemoPerson, answer: string): Promise<boolean> {
    const [expectedChallenge, response] = [this.#take(signIn), credentialFrom(answer)];
    if (expectedChallenge === undefined || !response) return false;
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as never,
      expectedChallenge,
      expectedOrigin: this.origin,
      expectedRPID: rpId,
      requireUserVerification: true,
    }).catch(() => ({ registrationInfo: undefined }));
    if (!registrationInfo) return false;
    const { id, publicKey, counter } = registrationInfo.credential;
    const public_key = Buffer.from(publicKey).toString('base64url');
    const added_at = new Date().toISOString();
    return this.passkeys.add({ id, subject, public_key, counter, added_at });
  }

  #take(signIn: string): string | undefined {
    const challenge = this.#challenges.get(signIn);
    this.#challenges.delete(signIn);
    return challenge;
  }
}

/** Undefined where it is no credential at all; what else it holds the library looks at. */
function credentialFrom(text: string): { readonly id: string } | undefined {
  try {
    const read = JSON.parse(text) as { readonly id?: unknown } | null;
    return typeof read?.id === 'string' ? { ...read, id: read.id } : undefined;
  } catch {
    return undefined;
  }
}

type WebAuthn = typeof import('@simplewebauthn/server');
let loading: Promise<WebAuthn> | undefined;

/** Loaded when the first page asks. */
function library(): Promise<WebAuthn> {
  return (loading ??= import('@simplewebauthn/server'));
}
