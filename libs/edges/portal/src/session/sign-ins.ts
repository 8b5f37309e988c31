import { Injectable } from '@nestjs/common';
import { takeFromBucket, RedisStore } from '#infra/redis';
import { Metrics, type Rate } from '#infra/runtime';
import { callerAddress, Problem, rawQuery, sourceOf } from '#shared/http';
import { constantTimeEqual, Keyring, UnopenableCiphertext } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { refusals } from '../access/refusals.js';
import { PortalOptions } from '../portal-options.js';
import { PortalCookie } from './cookies.js';
import {
  type Authenticated,
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

  note(outcome: 'signed_in' | 'proved' | 'stale' | SignInFailure['why']): void {
    this.outcomes.inc({ outcome });
  }

  /** Without Redis nothing is counted. @throws Problem too_many_requests */
  async admit(request: FastifyRequest): Promise<void> {
    const bucket = `bucket:portal:sign-in:${sourceOf(callerAddress(request))}`;
    const waitMs = await takeFromBucket(this.store, bucket, rate).catch(() => undefined);
    if (waitMs === undefined) return;
    const headers = { 'Retry-After': Math.max(1, Math.ceil(waitMs / 1000)).toString() };
    throw new Problem(refusals.too_many_requests, { headers });
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

  constructor(
    private readonly provider: IdentityProvider,
    private readonly keyring: Keyring,
    private readonly counts: SignInCounts,
    { url }: PortalOptions,
  ) {
    this.cookie = new PortalCookie('portal-sign-in', url);
  }

  /** @returns where the browser goes. @throws Problem where the provider does not answer */
  async begin(request: FastifyRequest, reply: FastifyReply, purpose: Purpose): Promise<string> {
    await this.counts.admit(request);
    const digest = purpose.kind === 'prove' ? Buffer.from(purpose.digest, 'hex') : undefined;
    const { url, pending } = await this.counts.counted(() => this.provider.begin(digest));
    const kept: Pending = { ...pending, purpose };
    const { keyId, ciphertext } = this.keyring.seal(label, JSON.stringify(kept));
    this.cookie.set(reply, `${keyId}.${ciphertext}`, maxAgeSeconds);
    return url;
  }

  /** @throws Problem where nobody was named, or nobody who can be believed */
  async finish(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Authenticated & { readonly purpose: Purpose }> {
    const pending = this.pendingOf(request);
    const query = rawQuery(request);
    const state = new URLSearchParams(query).get('state') ?? '';
    if (!pending || !constantTimeEqual(pending.state, state)) {
      this.counts.note('stale');
      throw problems.untrusted;
    }
    this.cookie.clear(reply);
    const { purpose } = pending;
    const isAnew = purpose.kind === 'prove';
    const work = () => this.provider.finish(query, pending, { isAnew });
    const found = await this.counts.counted(work);
    this.counts.note(isAnew ? 'proved' : 'signed_in');
    return { ...found, purpose };
  }

  /** Where the provider ends its own session, if it offers that. */
  endOfSession(): Promise<string | undefined> {
    return this.provider.endOfSession();
  }

  private pendingOf(request: FastifyRequest): Pending | undefined {
    const [keyId = '', ciphertext = ''] = this.cookie.read(request, valuePattern)?.split('.') ?? [];
    if (ciphertext === '') return undefined;
    try {
      const text = this.keyring.open(label, { keyId, ciphertext }).toString();
      const pending = JSON.parse(text) as Pending;
      return Date.now() - pending.begunAtMs < maxAgeSeconds * 1000 ? pending : undefined;
    } catch (error) {
      if (error instanceof UnopenableCiphertext) return undefined;
      throw error;
    }
  }
}
