import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';

/** What we are willing to repeat in headers, logs and events: an id, no text. */
const sane = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Events are for ever and hold no phone number, so neither does the id that they are told by. */
const phoneNumber = /254[17][0-9]{8}/;

/** The caller's X-Request-Id where it is sane and holds no phone number, else a fresh UUID. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  const isFit = typeof sent === 'string' && sane.test(sent) && !phoneNumber.test(sent);
  return isFit ? sent : randomUUID();
}
