import { Injectable } from '@nestjs/common';
import { Keyring, newSecret } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type CheckoutLink } from '../link/checkout-link.js';
import { cookiesOf } from './cookies.js';

/** Settings that this edge needs. The app provides them under this class. */
export class CheckoutOptions {
  constructor(
    /** BASE_URL: if it is https, the page's cookie is bound to this host and to https. */
    readonly baseUrl: string,
  ) {}
}

/** The purpose of a form. */
interface FormPurpose {
  readonly link: CheckoutLink;
  readonly attempt: number;
}

const label = 'checkout-form';
const visitorPattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns the text that a form's token covers. */
function bound(visitor: string, { link, attempt }: FormPurpose): string {
  return [visitor, link.key.credentialId, link.hash, attempt].join('\n');
}

/**
 * Distinguishes our own forms from forms that another site sends from a customer's browser. A form's token is bound to
 * its link, its attempt and the browser's cookie, which only identifies the browser. The cookie is sent with every GET
 * that leads here, so a second tab has the same one. SameSite keeps it out of forms of other sites.
 */
@Injectable()
export class Forms {
  private readonly cookie: string;
  private readonly attributes: string;

  constructor(
    private readonly keyring: Keyring,
    { baseUrl }: CheckoutOptions,
  ) {
    const isSecure = baseUrl.startsWith('https:');
    this.cookie = isSecure ? '__Host-checkout' : 'checkout';
    this.attributes = `; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** Returns the token of a form for this browser. The browser gets a cookie if it has none. */
  token(request: FastifyRequest, reply: FastifyReply, purpose: FormPurpose): string {
    const known = this.visitorOf(request);
    if (known !== undefined) return this.keyring.hmac(label, bound(known, purpose));
    const visitor = newSecret();
    void reply.header('Set-Cookie', `${this.cookie}=${visitor}${this.attributes}`);
    return this.keyring.hmac(label, bound(visitor, purpose));
  }

  /** True if we gave this browser a form with this token for this purpose. */
  gave(request: FastifyRequest, token: string, purpose: FormPurpose): boolean {
    const visitor = this.visitorOf(request);
    return visitor !== undefined && this.keyring.isHmac(token, label, bound(visitor, purpose));
  }

  /** Returns the browser's own random text, from the first cookie that can be ours; undefined if it has none. */
  visitorOf(request: FastifyRequest): string | undefined {
    return cookiesOf(request, this.cookie).find((value) => visitorPattern.test(value));
  }
}
