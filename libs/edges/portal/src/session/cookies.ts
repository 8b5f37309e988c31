import { type FastifyReply, type FastifyRequest } from 'fastify';

/** A cookie of the portal. Over https it is bound to the host. */
export class PortalCookie {
  private readonly name: string;
  private readonly attributes: string;

  /**
   * @param url PORTAL_URL; over http (only localhost) browsers reject the prefix `__Host-`
   * @param path the path to which it is sent; `__Host-` is for cookies that are sent to every path
   */
  constructor(name: string, url: string, path = '/') {
    const isSecure = url.startsWith('https:');
    const prefix = path === '/' ? '__Host-' : '__Secure-';
    this.name = isSecure ? `${prefix}${name}` : name;
    this.attributes = `; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  /** The value that the browser sends, if it fits. Another site on the host could set more cookies of this name. */
  read({ headers }: FastifyRequest, fits: RegExp): string | undefined {
    const prefix = `${this.name}=`;
    return (headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .map((pair) => pair.slice(prefix.length))
      .find((value) => fits.test(value));
  }

  /** @param maxAgeSeconds undefined to keep it until the browser closes */
  set(reply: FastifyReply, value: string, maxAgeSeconds?: number): void {
    const age = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`;
    addCookie(reply, `${this.name}=${value}${this.attributes}${age}`);
  }

  clear(reply: FastifyReply): void {
    this.set(reply, '', 0);
  }
}

/** Adds a Set-Cookie header, of which there may be several. Fastify would replace a header that is set twice. */
function addCookie(reply: FastifyReply, cookie: string): void {
  const before = reply.getHeader('Set-Cookie');
  const all = before === undefined ? [] : Array.isArray(before) ? before : [String(before)];
  reply.removeHeader('Set-Cookie');
  void reply.header('Set-Cookie', [...all, cookie]);
}
