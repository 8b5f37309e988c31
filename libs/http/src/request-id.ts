import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';

/** What we are willing to repeat in headers, logs and events: an id, no text. */
const sane = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The caller's X-Request-Id where it is sane, else a fresh UUID. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && sane.test(sent) ? sent : randomUUID();
}
