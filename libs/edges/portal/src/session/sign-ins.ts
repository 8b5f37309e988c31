import { Injectable } from '@nestjs/common';
import { takeFromBucket, RedisStore } from '#infra/redis';
import { Metrics, type Rate } from '#infra/runtime';
import { callerAddress, Problem, rawQuery, sourceOf } from '#shared/http';
import { constantTimeEqual, Keyring, UnopenableCiphertext } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { refusals, retryAfter } from '../access/refusals.js';
import { PortalOptions } from '../portal-options.js';
import { languageOf } from '../text/language.js';
import { PortalCookie } from './cookies.js';
import {
  type Answer,
  IdentityProvider,
  type PendingSignIn,
  SignInFailure,
} from './identity-provider.js';

/** What a person goes to the provider for. */
export type Purpose =
  | { readonly kind: 'sign_in'; readonly back: string }
  | {
      readonly kind: 'prove';
      /** Of the held form. */
      readonly id: string;
      /** Of the form's bytes, in hex. */
      readonly digest: string;
    };

interface Pending extends PendingSignIn {
  readonly purpose: Purpose;
}

/** As long as somebody may need to find their key. */
const maxAgeSeconds = 10 * 60;
const label = 'portal-sign-in';
const signOutLabel = 'portal-sign-out';
const valuePattern = /^[A-Za-z0-9_-]{1,32}\.[A-Za-z0-9+/=]{1,3500}$/;

/** Of one source: each is a call of the provider, which others need too. */
const rate: Rate = { limit: 1, intervalMs: 1000, burst: 30 };
/** A provider that is being started is back within seconds. */
const retryAfterSeconds = '5';

const problems = {
  unavailable: new Problem(
    { status: 503, code: 'provider_unavailable' },
    { headers: { 'Retry-After': retryAfterSeconds } },
  ),
  untrusted: new Problem(refusals.sign_in_failed),
  weak: new Problem(refusals.weak_proof),
  denied: new Problem(refusals.sign_in_failed),
} as const;

/** Counts ways to the provider by their outcome, and bounds those of one source. */
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

  note(outcome: 'signed_in' | 'proved' | 'not_anew' | 'stale' | SignInFailure['why']): void {
    this.outcomes.inc({ outcome });
  }

  /**
   * Without Redis nothing is counted.
   * @param way there and back are counted apart, so that whoever set out comes back
   * @throws Problem too_many_requests
   */
  async admit(request: FastifyRequest, way: 'sign-in' | 'callback'): Promise<void> {
    const bucket = `bucket:portal:${way}:${sourceOf(callerAddress(request))}`;
    const waitMs = await takeFromBucket(this.store, bucket, rate).catch(() => undefined);
    if (waitMs === undefined) return;
    throw new Problem(refusals.too_many_requests, { headers: retryAfter(waitMs) });
  }

  /** @throws Problem in the place of a SignInFailure */
  async counted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      this.note(error.why);
      throw problems[error.why];
    }
  }
}

/**
 * Ways to the provider and back. What we must remember meanwhile stands in a cookie, sealed and bound to this browser:
 * an answer that another browser was given is worth nothing here.
 */
@Injectable()
export class SignIns {
  private readonly cookie: PortalCookie;
  private readonly signOutCookie: PortalCookie;

  constructor(
    private readonly provider: IdentityProvider,
    private readonly keyring: Keyring,
    private readonly counts: SignInCounts,
    { url }: PortalOptions,
  ) {
    this.cookie = new PortalCookie('portal-sign-in', url);
    this.signOutCookie = new PortalCookie('portal-sign-out', url, '/portal/sign-out');
  }

  /** @returns where the browser goes. @throws Problem where the provider does not answer */
  async begin(request: FastifyRequest, reply: FastifyReply, purpose: Purpose): Promise<string> {
    await this.counts.admit(request, 'sign-in');
    const digest = purpose.kind === 'prove' ? Buffer.from(purpose.digest, 'hex') : undefined;
    const language = languageOf(request);
    const work = () => this.provider.begin({ language, digest });
    const { url, pending } = await this.counts.counted(work);
    const kept: Pending = { ...pending, purpose };
    const { keyId, ciphertext } = this.keyring.seal(label, JSON.stringify(kept));
    this.cookie.set(reply, `${keyId}.${ciphertext}`, maxAgeSeconds);
    return url;
  }

  /** @throws Problem where nobody was named, or nobody who can be believed */
  async finish(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answer & { readonly purpose: Purpose }> {
    const pending = this.pendingOf(request);
    const query = rawQuery(request);
    const state = new URLSearchParams(query).get('state') ?? '';
    if (!pending || !constantTimeEqual(pending.state, state)) {
      this.counts.note('stale');
      throw problems.untrusted;
    }
    this.cookie.clear(reply);
    // The cookie is sent again by whoever wants: each answer that fits it would be a call of the provider.
    await this.counts.admit(request, 'callback');
    const { purpose } = pending;
    const found = await this.counts.counted(() => this.provider.finish(query, pending));
    if (purpose.kind === 'sign_in') this.counts.note('signed_in');
    return { ...found, purpose };
  }

  noteProved(): void {
    this.counts.note('proved');
  }

  noteNotAnew(): void {
    this.counts.note('not_anew');
  }

  /** Keeps in the browser what tells the provider, when its person signs out, whose session is to end. */
  rememberForSignOut(reply: FastifyReply, idToken: string): void {
    const { keyId, ciphertext } = this.keyring.seal(signOutLabel, idToken);
    const value = `${keyId}.${ciphertext}`;
    if (valuePattern.test(value)) this.signOutCookie.set(reply, value);
    else this.signOutCookie.clear(reply);
  }

  /** Where the provider ends its own session, if it offers that. */
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

  /** Undefined where nothing is there, or nothing that we sealed. */
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
