import { Injectable } from '@nestjs/common';
import { Clock } from '#domain/kernel';
import { hashSecret, Keyring } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { PortalOptions } from '../portal-options.js';
import { PortalCookie } from './cookies.js';

/** Time for which a pass shows the status page after the last check of the person's rights. */
const lifeMs = 3_600_000;
const label = 'portal-status-pass';
const passPattern = /^\d{13}\.[\w.:-]{16,300}$/;
const sessionPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Shows the status page to an operator while the server that knows sessions or roles is down (POR-80). The pass is a
 * cookie that the service signed when it last let the person see the platform. It is bound to the session's cookie, so
 * that a sign-out ends it. Browsers send it only to the status page.
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

  /** Gives a pass to a person whose session and roles were just read and allow them to see the platform. */
  give(reply: FastifyReply, sessionHash: Buffer): void {
    const endsAt = String(this.clock.nowMs() + lifeMs).padStart(13, '0');
    const mark = this.keyring.hmac(label, bound(endsAt, sessionHash));
    this.cookie.set(reply, `${endsAt}.${mark}`, lifeMs / 1000);
  }

  /** True if the request has a valid pass of its own session. It asks no server. */
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
