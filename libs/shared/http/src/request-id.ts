import { randomUUID } from 'node:crypto';
import { type IncomingMessage } from 'node:http';

/** The form that we repeat in headers, logs and events: an id, not a text. */
const requestIdPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Matches the part of a phone number after its prefix (OPS-18), however it is written, in an id without `.`, `_` and
 * `-`.
 */
const phoneNumber = /[17][0-9]{8}/;
const separators = /[._-]/g;

/** A UUID, or the 128 bits of a trace in hex, in which a run of digits is chance. Digits alone do not count. */
const uuid = /^(?=.*[a-f])[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

/**
 * True if the id may contain a phone number. Events are permanent and contain none, so their request ids may not either
 * (ERR-12).
 */
function mayHoldPhone(id: string): boolean {
  return !uuid.test(id) && phoneNumber.test(id.replace(separators, ''));
}

/** Returns the caller's X-Request-Id if it has that form and contains no phone number, else a new UUID. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const sent = request.headers['x-request-id'];
  const isFit = typeof sent === 'string' && requestIdPattern.test(sent) && !mayHoldPhone(sent);
  return isFit ? sent : randomUUID();
}
