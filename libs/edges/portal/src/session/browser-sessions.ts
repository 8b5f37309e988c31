import { Injectable } from '@nestjs/common';
import { type Person } from '#domain/people';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { hashSecret, Keyring, newSecret } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PortalOptions } from '../portal-options.js';
import { PortalCookie } from './cookies.js';
import { type OpenSession, type Session, type SessionEnds, Sessions } from './ports.js';

/** Half an hour without a click; a working day in all (POR-4). */
const ends: SessionEnds = { idleMs: 30 * 60_000, absoluteMs: 12 * 3_600_000 };
const idPattern = /^[A-Za-z0-9_-]{43}$/;
const formLabel = 'portal-form';

/** Whether a page that is open asks for its content again, by itself: nobody need sit before it. */
export function looksAgain({ headers }: FastifyRequest): boolean {
  return headers['hx-request'] === 'true';
}

/** Sessions as browsers know them: by a cookie with a random id, of which we keep the hash alone. */
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
  async find(request: FastifyRequest): Promise<Session | undefined> {
    const id = this.cookie.read(request, idPattern);
    if (id === undefined) return undefined;
    const hash = hashSecret(id);
    const session = await (looksAgain(request)
      ? this.sessions.find(hash)
      : this.sessions.use(hash, ends.idleMs));
    // Whom another issuer named, before OIDC_ISSUER was changed, is nobody.
    return session?.person.issuer === this.options.issuer?.issuer ? session : undefined;
  }

  /**
   * Takes one request of those that a session may make, over all replicas (POR-54). Without Redis nothing is counted.
   * @returns milliseconds until one more may come, where this one may not
   */
  waitOf({ hash }: Session): Promise<number | undefined> {
    const bucket = `bucket:portal:session:${hash.toString('hex')}`;
    return takeFromBucket(this.store, bucket, this.options.sessionRate).catch(() => undefined);
  }

  /** A fresh id at each sign-in: whatever id the browser held before, somebody may have put it there. */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    session: Omit<Session, 'hash'>,
  ): Promise<void> {
    const id = newSecret();
    await this.sessions.open({ ...session, hash: hashSecret(id) }, ends);
    const before = this.cookie.read(request, idPattern);
    if (before !== undefined) await this.sessions.revoke(hashSecret(before));
    this.cookie.set(reply, id);
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = this.cookie.read(request, idPattern);
    if (id !== undefined) await this.sessions.revoke(hashSecret(id));
    this.cookie.clear(reply);
  }

  openOf(person: Person): Promise<readonly OpenSession[]> {
    return this.sessions.openOf(person);
  }

  /** @param hash undefined: all of the person's */
  endOf(person: Person, hash?: Buffer): Promise<void> {
    return this.sessions.revokeOf(person, hash);
  }

  /** What each form of the session carries, so that no other site can send one in its name. */
  formToken(sessionHash: Buffer): string {
    return this.keyring.hmac(formLabel, sessionHash);
  }

  gaveToken(sessionHash: Buffer, token: string): boolean {
    return this.keyring.isHmac(token, formLabel, sessionHash);
  }
}
