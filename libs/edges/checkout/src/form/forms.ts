import { Injectable } from '@nestjs/common';
import { Keyring, newSecret } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type CheckoutLink } from '../link/checkout-link.js';

/** What of the settings this edge needs; the app provides it under this class. */
export class CheckoutOptions {
  constructor(
    /** BASE_URL: over https the page's cookie is bound to it. */
    readonly baseUrl: string,
  ) {}
}

/** What a form is for. */
interface FormPurpose {
  readonly link: CheckoutLink;
  readonly attempt: number;
}

const label = 'checkout-form';
const visitorPattern = /^[A-Za-z0-9_-]{43}$/;

/** What a form's token is of. */
function bound(visitor: string, { link, attempt }: FormPurpose): string {
  return [visitor, link.key.credentialId, link.hash, attempt].join('\n');
}

/**
 * Tells forms that we gave from those that another site sends from a customer's browser: a form's token is bound to
 * its link, its attempt and the browser's cookie, which says which browser this is and nothing else. The cookie
 * goes with every GET that leads here, so that a second tab has the same; SameSite keeps it from others' forms.
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

  /** The token of a form that is given to this browser, which gets its cookie where it has none. */
  token(request: FastifyRequest, reply: FastifyReply, purpose: FormPurpose): string {
    const known = this.visitorOf(request);
    if (known !== undefined) return this.keyring.hmac(label, bound(known, purpose));
    const visitor = newSecret();
    void reply.header('Set-Cookie', `${this.cookie}=${visitor}${this.attributes}`);
    return this.keyring.hmac(label, bound(visitor, purpose));
  }

  /** Whether we gave this browser a form with this token, for this purpose. */
  gave(request: FastifyRequest, token: string, purpose: FormPurpose): boolean {
    const visitor = this.visitorOf(request);
    return visitor !== undefined && this.keyring.isHmac(token, label, bound(visitor, purpose));
  }

  /** Of several cookies of the name, the first that may be ours: @fastify/cookie gives the first, whatever it is. */
  private visitorOf({ headers }: FastifyRequest): string | undefined {
    const prefix = `${this.cookie}=`;
    return (headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length))
      .find((value) => visitorPattern.test(value));
  }
}
