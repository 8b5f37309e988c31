import { Injectable } from '@nestjs/common';
import { takeFromBucket, RedisStore } from '#infra/redis';
import { type Person } from '#domain/people';
import { Metrics, type Rate } from '#infra/runtime';
import { callerAddress, Problem, rawQuery, sourceOf } from '#shared/http';
import { constantTimeEqual, Keyring, UnopenableCiphertext } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { RefusalWithFacts } from '../access/refusal-with-facts.js';
import { refusals, retryAfter } from '../access/refusals.js';
import { PortalOptions } from '../portal-options.js';
import { languageOf } from '../text/language.js';
import { personDigest } from './browser-sessions.js';
import { PortalCookie } from './cookies.js';
import { type Answer, IdentityProvider, type PendingSignIn } from './identity-provider.js';
import { SignInFailure, type WeakProof, type WhyFailed } from './sign-in-failure.js';

/** A person's purpose at the provider. */
export type Purpose =
  | { readonly kind: 'sign_in'; readonly back: string }
  | {
      readonly kind: 'prove';
      /** The id of the held form. */
      readonly id: string;
      /** The digest of the form, in hex. */
      readonly digest: string;
      /** The digest of the person who is signed in. */
      readonly person: string;
    };

interface Pending extends PendingSignIn {
  readonly purpose: Purpose;
}

/** A sign-in or a proof whose answer can be trusted. */
type Finished = Answer & { readonly purpose: Purpose; readonly begunAgoMs: number };

/** Time that a person may need to find their key. */
const maxAgeSeconds = 10 * 60;
const label = 'portal-sign-in';
const signOutLabel = 'portal-sign-out';
const knownLabel = 'portal-known';
/** A browser that no one signs in with for so long is unknown again. */
const knownSeconds = 180 * 86_400;
const valuePattern = /^[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9+/=]{1,3500}$/;

/** Rate of one source or person. Each sign-in is a call of the provider, which others need as well. */
const rate: Rate = { limit: 1, intervalMs: 1000, burst: 30 };
/** Seconds within which a provider that is starting is back. */
const retryAfterSeconds = '5';

const problems = {
  unavailable: new Problem(
    { status: 503, code: 'provider_unavailable' },
    { headers: { 'Retry-After': retryAfterSeconds } },
  ),
  misconfigured: new Problem(refusals.sign_in_misconfigured),
  untrusted: new Problem(refusals.sign_in_failed),
  weak: new Problem(refusals.weak_proof),
  denied: new Problem(refusals.sign_in_denied),
} as const satisfies Record<WhyFailed, Problem>;

/** The page that names the `acr` that the provider gave, and those that count. */
function weakProof({ received, required }: WeakProof): Problem {
  return new RefusalWithFacts('weak_proof', ({ proof }) => [
    [proof.received, received ?? proof.none],
    [proof.required, required.join(' ')],
  ]);
}

/**
 * Counts sign-ins by their outcome. Limits those of one source or of one known person, and proofs of presence of one
 * person.
 */
@Injectable()
export class SignInCounts {
  private readonly outcomes;

  constructor(
    metrics: Metrics,
    private readonly store: RedisStore,
  ) {
    this.outcomes = metrics.counter({
      name: 'portal_sign_ins_total',
      help: 'Ways to the identity provider and back, by outcome',
      labels: ['outcome'],
    });
  }

  note(outcome: 'signed_in' | 'proved' | 'not_anew' | 'stale' | WhyFailed): void {
    this.outcomes.inc({ outcome });
  }

  /**
   * Takes one of the requests that a source may make. A proof of presence is its person's own, and so is a sign-in from
   * a browser with which the person signed in before: strangers behind the same address cannot use it up. Without Redis
   * it counts nothing.
   * @param known the digest of the person who signed in with this browser before
   * @param way each way has its own limit, so that everyone who was sent to the provider can come back
   * @throws Problem too_many_requests
   */
  async admit(
    request: FastifyRequest,
    way: 'sign-in' | 'callback',
    { purpose, known }: { readonly purpose: Purpose; readonly known: string | undefined },
  ): Promise<void> {
    const ofPerson =
      purpose.kind === 'prove' ? `proof:${purpose.person}` : known && `known:${known}`;
    const whose = ofPerson ?? sourceOf(callerAddress(request));
    const bucket = `bucket:portal:${way}:${whose}`;
    const waitMs = await takeFromBucket(this.store, bucket, rate).catch(() => undefined);
    if (waitMs === undefined) return;
    throw new Problem(refusals.too_many_requests, { headers: retryAfter(waitMs) });
  }

  /** @throws Problem instead of a SignInFailure */
  async counted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      this.note(error.why);
      throw error.proof ? weakProof(error.proof) : problems[error.why];
    }
  }
}

/**
 * Sends browsers to the provider and reads their answers. The state of a sign-in is in a cookie, sealed and bound to
 * this browser, so that an answer for another browser is useless here.
 */
@Injectable()
export class SignIns {
  private readonly cookie: PortalCookie;
  private readonly signOutCookie: PortalCookie;
  private readonly knownCookie: PortalCookie;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly keyring: Keyring,
    private readonly counts: SignInCounts,
    { url }: PortalOptions,
  ) {
    this.cookie = new PortalCookie('portal-sign-in', url);
    this.signOutCookie = new PortalCookie('portal-sign-out', url, '/portal/sign-out');
    this.knownCookie = new PortalCookie('portal-known', url);
  }

  /**
   * @returns the address to which the browser goes
   * @throws Problem if the provider does not answer
   */
  async begin(request: FastifyRequest, reply: FastifyReply, purpose: Purpose): Promise<string> {
    await this.counts.admit(request, 'sign-in', { purpose, known: this.knownIn(request) });
    const digest = purpose.kind === 'prove' ? Buffer.from(purpose.digest, 'hex') : undefined;
    const language = languageOf(request);
    const work = () => this.provider.begin({ language, digest });
    const { url, pending } = await this.counts.counted(work);
    const kept: Pending = { ...pending, purpose };
    const { keyId, ciphertext } = this.keyring.seal(label, JSON.stringify(kept));
    this.cookie.set(reply, `${keyId}.${ciphertext}`, maxAgeSeconds);
    return url;
  }

  /**
   * @returns undefined if the answer is of no sign-in that this browser has under way: a callback that was opened again,
   *   or another tab's
   * @throws Problem if the answer names no person, or cannot be trusted
   */
  async finish(request: FastifyRequest, reply: FastifyReply): Promise<Finished | undefined> {
    const pending = this.pendingOf(request);
    const query = rawQuery(request);
    const state = new URLSearchParams(query).get('state') ?? '';
    if (!pending || !constantTimeEqual(pending.state, state)) {
      this.counts.note('stale');
      return undefined;
    }
    this.cookie.clear(reply);
    const { purpose } = pending;
    // Anyone can send the cookie again, and each answer that fits it would be a call of the provider.
    await this.counts.admit(request, 'callback', { purpose, known: this.knownIn(request) });
    const found = await this.counts.counted(() => this.provider.finish(query, pending));
    if (purpose.kind === 'sign_in') {
      this.counts.note('signed_in');
      this.rememberPerson(reply, found.person);
    }
    return { ...found, purpose, begunAgoMs: Date.now() - pending.begunAtMs };
  }

  /** The page of the sign-in or the proof that the browser has under way, perhaps in another tab. */
  placeUnderWay(request: FastifyRequest): string {
    const { purpose } = this.pendingOf(request) ?? {};
    if (!purpose) return '/portal';
    return purpose.kind === 'sign_in' ? purpose.back : `/portal/confirm/${purpose.id}`;
  }

  noteProved(): void {
    this.counts.note('proved');
  }

  noteNotAnew(): void {
    this.counts.note('not_anew');
  }

  /** Keeps in the browser who signed in with it. It gives no access: the next sign-in is that person's to make. */
  private rememberPerson(reply: FastifyReply, person: Person): void {
    const { keyId, ciphertext } = this.keyring.seal(knownLabel, personDigest(person));
    this.knownCookie.set(reply, `${keyId}.${ciphertext}`, knownSeconds);
  }

  private knownIn(request: FastifyRequest): string | undefined {
    return this.opened(knownLabel, this.knownCookie.read(request, valuePattern));
  }

  /** Keeps the identity token in the browser. At the sign-out it tells the provider which session to end. */
  rememberForSignOut(reply: FastifyReply, idToken: string): void {
    const { keyId, ciphertext } = this.keyring.seal(signOutLabel, idToken);
    const value = `${keyId}.${ciphertext}`;
    if (valuePattern.test(value)) this.signOutCookie.set(reply, value);
    else this.signOutCookie.clear(reply);
  }

  /** The address at which the provider ends its own session, if it offers that. */
  endOfSession(request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> {
    const idToken = this.opened(signOutLabel, this.signOutCookie.read(request, valuePattern));
    this.signOutCookie.clear(reply);
    return this.provider.endOfSession(languageOf(request), idToken);
  }

  private pendingOf(request: FastifyRequest): Pending | undefined {
    const text = this.opened(label, this.cookie.read(request, valuePattern));
    if (text === undefined) return undefined;
    const pending = JSON.parse(text) as Pending;
    return Date.now() - pending.begunAtMs < maxAgeSeconds * 1000 ? pending : undefined;
  }

  /** Undefined if there is no value, or if we did not seal it. */
  private opened(sealLabel: string, value: string | undefined): string | undefined {
    const [keyId = '', ciphertext = ''] = value?.split('.') ?? [];
    if (ciphertext === '') return undefined;
    try {
      return this.keyring.open(sealLabel, { keyId, ciphertext }).toString();
    } catch (error) {
      if (error instanceof UnopenableCiphertext) return undefined;
      throw error;
    }
  }
}
