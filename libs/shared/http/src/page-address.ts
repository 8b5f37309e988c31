import { type FastifyReply, type FastifyRequest } from 'fastify';
import { FrontGate } from './front-gate.js';
import { rawTarget } from './raw-request.js';

/** Redirects from a page's address with a trailing slash, as people type it, to the page (ERR-18). */
export class PageAddress extends FrontGate {
  /** @param path the page's path, without a trailing slash */
  constructor(private readonly path: string) {
    super();
  }

  override pass(request: FastifyRequest, reply: FastifyReply): boolean {
    const { path, query } = rawTarget(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || path !== `${this.path}/`) return true;
    const location = query === '' ? this.path : `${this.path}?${query}`;
    void reply.code(308).header('Location', location).send();
    return false;
  }
}
