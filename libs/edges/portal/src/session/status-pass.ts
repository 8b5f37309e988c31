import { Injectable } from '@nestjs/common';
import { Clock } from '#domain/kernel';
import { hashSecret, Keyring } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PortalOptions } from '../portal-options.js';
import { PortalCookie } from './cookies.js';

/** How long after somebody's rights were last checked the pass shows the status page. */
const lifeMs = 3_600_000;
const label = 'portal-status-pass';
const passPattern = /^\d{13}\.[\w.:-]{16,300}$/;
const sessionPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Shows the status page to an operator while the server that knows sessions or roles is away (POR-80): a cookie that the
 * service signed when it last let the person see the platform. It is bound to the session's cookie, so that signing out
 * ends it, and is sent to the status page alone.
 */
@Injectable()
export class StatusPass {
  private readonly cookie: PortalCookie;
  private readonly session: PortalCookie;

  constructor(
    private readonly keyring: Keyring,
    private readonly clock: Clock,
    { url }: PortalOptions,
  ) {
    this.cookie = new PortalCookie('portal-status', url, '/portal/status');
    this.session = new PortalCookie('portal', url);
  }

  /** For somebody who may see the platform, as was just read from session and roles. */
  give(reply: FastifyReply, sessionHash: Buffer): void {
    const endsAt = String(this.clock.nowMs() + lifeMs).padStart(13, '0');
    const mark = this.keyring.hmac(label, bound(endsAt, sessionHash));
    this.cookie.set(reply, `${endsAt}.${mark}`, lifeMs / 1000);
  }

  /** True if the request has a pass of its own session that is not over. Asks no server. */
  isGiven(request: FastifyRequest): boolean {
    const pass = this.cookie.read(request, passPattern) ?? '';
    // The mark names its key, whose name may contain dots.
    const [endsAt, mark] = [pass.slice(0, 13), pass.slice(14)];
    const sessionId = this.session.read(request, sessionPattern);
    if (sessionId === undefined || Number(endsAt) <= this.clock.nowMs()) return false;
    return this.keyring.isHmac(mark, label, bound(endsAt, hashSecret(sessionId)));
  }
}

function bound(endsAt: string, sessionHash: Buffer): string {
  return `${endsAt}.${sessionHash.toString('hex')}`;
}
