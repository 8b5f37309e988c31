import { Injectable } from '@nestjs/common';
import { Keyring, UnopenableCiphertext } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type CheckoutLink } from '../link/checkout-link.js';
import { nationalPhone } from '../phone.js';
import { cookiesOf } from './cookies.js';
import { CheckoutOptions, Forms } from './forms.js';

/** A number that a customer typed on a link's page, as the rail needs it. */
export interface TypedNumber {
  readonly link: CheckoutLink;
  readonly phone: string;
}

const label = 'checkout-number';
/** A V4 link lives as long. Each form starts the time again. */
const lifeSeconds = 15 * 60;
const sealedPattern = /^([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{60,100})$/;

/**
 * Keeps the number that a customer typed, so that the form of the next attempt has it (PAGE-17). Only the browser that
 * sent the form has it, in a cookie that it cannot read. The cookie opens for this browser and this link only, so
 * another visitor of the link, or another link in this browser, never shows the number. The service stores nothing.
 */
@Injectable()
export class KeptNumbers {
  private readonly cookie: string;
  private readonly attributes: string;

  constructor(
    private readonly keyring: Keyring,
    private readonly forms: Forms,
    { baseUrl }: CheckoutOptions,
  ) {
    const isSecure = baseUrl.startsWith('https:');
    this.cookie = isSecure ? '__Secure-checkout-number' : 'checkout-number';
    this.attributes = `; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** @param path the page's path; the browser sends the cookie to no other */
  keep({ request, reply, path }: Carrier, { link, phone }: TypedNumber): void {
    const visitor = this.forms.visitorOf(request);
    if (visitor === undefined) return;
    const sealed = this.keyring.sealBytes(label, phone, bound(visitor, link));
    const value = `${this.keyring.currentKeyId}.${sealed.toString('base64url')}`;
    this.set(reply, path, { value, maxAge: lifeSeconds });
  }

  /** Returns the number that this browser sent for this link, as Kenyans write it; undefined if it has none. */
  of(request: FastifyRequest, link: CheckoutLink): string | undefined {
    const visitor = this.forms.visitorOf(request);
    if (visitor === undefined) return undefined;
    return cookiesOf(request, this.cookie)
      .map((value) => this.opened(value, bound(visitor, link)))
      .find((phone) => phone !== undefined);
  }

  /** Ends the cookie of a link that needs no further form. That of another link stays. */
  forget({ request, reply, path }: Carrier, link: CheckoutLink): void {
    if (this.of(request, link) !== undefined) this.set(reply, path, { value: '', maxAge: 0 });
  }

  private set(
    reply: FastifyReply,
    path: string,
    { value, maxAge }: { readonly value: string; readonly maxAge: number },
  ): void {
    const cookie = `${this.cookie}=${value}; Path=${path}; Max-Age=${maxAge}${this.attributes}`;
    void reply.header('Set-Cookie', cookie);
  }

  private opened(value: string, aad: string): string | undefined {
    const [, keyId, sealed] = sealedPattern.exec(value) ?? [];
    if (keyId === undefined || sealed === undefined) return undefined;
    try {
      const bytes = this.keyring.openBytes(label, keyId, Buffer.from(sealed, 'base64url'), aad);
      return nationalPhone(bytes.toString());
    } catch (error) {
      if (error instanceof UnopenableCiphertext) return undefined;
      throw error;
    }
  }
}

/** A request and its reply, which carry the cookie, and the path of the page. */
interface Carrier {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly path: string;
}

function bound(visitor: string, { key, hash }: CheckoutLink): string {
  return [visitor, key.credentialId, hash].join('\n');
}
