import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Person, personId } from '#domain/people';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { hashSecret, Keyring, newSecret } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PortalOptions } from '../portal-options.js';
import { browserName } from './browser-name.js';
import { PortalCookie } from './cookies.js';
import {
  type FoundSession,
  type NewSession,
  type OpenSession,
  type Session,
  type SessionEnds,
  Sessions,
} from '#records/people';

/** A session ends after half an hour without a click, or after a working day in all (POR-4). */
const ends: SessionEnds = { idleMs: 30 * 60_000, absoluteMs: 12 * 3_600_000 };
const idPattern = /^[A-Za-z0-9_-]{43}$/;
const formLabel = 'portal-form';

/** `auth_time` has whole seconds. */
const secondMs = 1000;

/** True if an open page reloads its content by itself, perhaps with no one in front of it. */
export function looksAgain({ headers }: FastifyRequest): boolean {
  return headers['hx-request'] === 'true';
}

/** The person's part of a bucket's name: it has one length and tells Redis no one's id. */
export function personDigest(person: Person): string {
  return createHash('sha256').update(personId(person)).digest('hex');
}

/** Sessions as browsers know them: by a cookie with a random id. We store only its hash. */
@Injectable()
export class BrowserSessions {
  private readonly cookie: PortalCookie;

  constructor(
    private readonly sessions: Sessions,
    private readonly keyring: Keyring,
    readonly options: PortalOptions,
    private readonly store: RedisStore,
  ) {
    this.cookie = new PortalCookie('portal', options.url);
  }

  /** @throws DependencyUnavailable */
  async find(request: FastifyRequest): Promise<FoundSession | undefined> {
    const id = this.cookie.read(request, idPattern);
    if (id === undefined) return undefined;
    const hash = hashSecret(id);
    const session = await (looksAgain(request)
      ? this.sessions.find(hash)
      : this.sessions.use(hash, ends.idleMs));
    if (session?.kind !== 'browser') return undefined;
    // A session of another issuer, from before OIDC_ISSUER was changed, counts no more.
    return session.person.issuer === this.options.issuer?.issuer ? session : undefined;
  }

  /**
   * Takes one of the requests that a person may make, over all sessions and replicas (POR-54). Without Redis it counts
   * nothing.
   * @returns milliseconds until the next request is allowed, or undefined if this one is
   */
  waitOf({ person }: Session): Promise<number | undefined> {
    const bucket = `bucket:portal:person:${personDigest(person)}`;
    return takeFromBucket(this.store, bucket, this.options.personRate).catch(() => undefined);
  }

  /**
   * Opens a session with a fresh id at each sign-in: another person may have put the id there that the browser had
   * before.
   * @param begunAgoMs milliseconds since the browser was sent to the provider
   * @returns the hash of its id; undefined if the person has signed out everywhere since then
   */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Pick<NewSession, 'person' | 'name' | 'authenticatedAt' | 'providerSession'>,
    begunAgoMs: number,
  ): Promise<Buffer | undefined> {
    const id = newSecret();
    const { person, name, authenticatedAt, providerSession } = session;
    const hash = hashSecret(id);
    const browser = browserName(request.headers['user-agent']);
    const opened = {
      hash,
      person,
      name,
      authenticatedAt,
      kind: 'browser',
      isProved: false,
      providerSession,
      browser: browser?.name,
      browserSystem: browser?.system,
    } as const;
    if (!(await this.sessions.open(opened, ends, begunAgoMs))) return undefined;
    const before = this.cookie.read(request, idPattern);
    if (before !== undefined) await this.sessions.revoke(hashSecret(before));
    this.cookie.set(reply, id);
    return hash;
  }

  /** Ends every session of a person, on command lines too (PEO-51). */
  endAll(person: Person): Promise<void> {
    return this.sessions.endAll(person);
  }

  /** Signs a person out everywhere, on command lines too (PEO-51). */
  async signOut(person: Person, reply: FastifyReply): Promise<void> {
    await this.endAll(person);
    this.cookie.clear(reply);
  }

  openOf(person: Person): Promise<readonly OpenSession[]> {
    return this.sessions.openOf(person);
  }

  endOne(person: Person, hash: Buffer): Promise<void> {
    return this.sessions.endOne(person, hash);
  }

  /**
   * Waits until the issuer can see the person later than it did: an `auth_time` of the same second would be no later.
   * If the two clocks differ by more, the person is asked again.
   */
  async untilNextSecond(person: Person): Promise<void> {
    const seenAt = await this.sessions.seenAt(person);
    const waitMs = (seenAt?.getTime() ?? 0) + secondMs - Date.now();
    if (waitMs > 0) await sleep(Math.min(waitMs, secondMs));
  }

  /** Notes a proof of presence in a session; false if the issuer did not see the person anew for it (PEO-50). */
  async proveAnew({ person, authenticatedAt }: Session, provedAt: Date): Promise<boolean> {
    return provedAt > authenticatedAt && (await this.sessions.proveAnew(person, provedAt));
  }

  /** The token in each form of the session, so that no other site can send a form in its name. */
  formToken(sessionHash: Buffer): string {
    return this.keyring.hmac(formLabel, sessionHash);
  }

  gaveToken(sessionHash: Buffer, token: string): boolean {
    return this.keyring.isHmac(token, formLabel, sessionHash);
  }
}
