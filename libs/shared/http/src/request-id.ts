import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';

/** What we are willing to repeat in headers, logs and events: an id, no text. */
const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Of a phone number what follows its prefix (OPS-18), however it is written; in an id without its `.`, `_` and `-`. */
const phoneNumber = /[17][0-9]{8}/;
const separators = /[._-]/g;

/** A UUID or the 128 bits of a trace in hex, where a run of digits is chance; digits alone are none. */
const uuid = /^(?=.*[a-f])[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

/** Events are for ever and hold no phone number, so neither does the id that they are told by (ERR-12). */
function mayHoldPhone(id: string): boolean {
  return !uuid.test(id) && phoneNumber.test(id.replace(separators, ''));
}

/** The caller's X-Request-Id where it has that form and holds no phone number, else a fresh UUID. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  const isFit = typeof sent === 'string' && requestIdPattern.test(sent) && !mayHoldPhone(sent);
  return isFit ? sent : randomUUID();
}
