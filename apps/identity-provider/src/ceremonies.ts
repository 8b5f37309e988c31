import { LRUCache } from 'lru-cache';
import { type Passkey, type Passkeys } from './passkeys.js';
import { type DemoPerson } from './settings.js';

/** The time that a person may need to find their security key. */
const challengeMs = 5 * 60_000;
/** The number of sign-ins in progress. */
const maxChallenges = 1000;
/** EdDSA, ES256 and RS256 (COSE), which devices support. */
const algorithms = [-8, -7, -257] as const;
/** Passkeys are bound to this name, which only this machine has. */
const rpId = 'localhost';

/** Passkeys at sign-in: the requests to browsers, and the checks of their answers (WebAuthn). */
export class Ceremonies {
  /** By sign-in. Only the last page's challenge counts, and only once. */
  readonly #challenges = new LRUCache<string, string>({ max: maxChallenges, ttl: challengeMs });

  constructor(
    private readonly passkeys: Passkeys,
    /** The provider's own origin. */
    private readonly origin: string,
  ) {}

  /**
   * Returns the page's request to its browser, as JSON.
   * @param signIn the id of the sign-in
   * @param of the accepted passkeys; undefined accepts any passkey that is known here
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

  /**
   * Checks a browser's answer.
   * @param answer as the browser sent it
   * @returns the subject of the passkey's owner; undefined if the passkey is unknown or proves nothing
   */
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

  /** Returns the page's request to create a passkey, as JSON. */
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

  /**
   * Stores the passkey that a browser created.
   * @returns false if the answer contains no valid new passkey
   */
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

/** Returns undefined if the text is no credential at all. The library checks the rest. */
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

/** Loads the library when the first page needs it. */
function library(): Promise<WebAuthn> {
  return (loading ??= import('@simplewebauthn/server'));
}
