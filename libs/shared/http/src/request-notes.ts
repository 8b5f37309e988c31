import { type FastifyRequest } from 'fastify';

/** What only the edge knows of a request: whose it is and what it is about; for its lines in the logs. */
export interface RequestNotes {
  readonly merchantId?: string;
  readonly mode?: string;
  readonly credentialId?: string;
  /** A collection's, as the merchant made it up. Its digits are masked where a phone number could hide in them. */
  readonly reference?: string;
  /** Which credential the request names, before it has proved anything: for the security log alone. */
  readonly namedCredentialId?: string | undefined;
  /** Where a limit answers in its place, the code of the failure: for the security log alone. */
  readonly failure?: string;
}

const notes = new WeakMap<FastifyRequest, RequestNotes>();

/** A phone number without its prefix has nine digits: V3 takes references that hold one, and anybody asks for them. */
const longDigits = /\d{9,}/g;

/** Adds to what is known of a request. Never a secret. */
export function noteRequest(request: FastifyRequest, more: RequestNotes): void {
  const reference = more.reference?.replace(longDigits, masked);
  notes.set(request, {
    ...notes.get(request),
    ...more,
    ...(reference !== undefined && { reference }),
  });
}

export function requestNotesOf(request: FastifyRequest): RequestNotes {
  return notes.get(request) ?? {};
}

function masked(digits: string): string {
  return `${digits.slice(0, 1)}${'*'.repeat(digits.length - 4)}${digits.slice(-3)}`;
}
