import { type FastifyRequest } from 'fastify';

/** What only the edge knows of a request that it refuses; for the security log. */
export interface RefusalNotes {
  /** The credential that the request names, proved or not: the one that is attacked, or that has an error. */
  readonly credentialId?: string | undefined;
  /** Where a limit answers in its place: the code of the failure. */
  readonly failure?: string | undefined;
}

const notes = new WeakMap<FastifyRequest, RefusalNotes>();

/** Adds to what is known of a request. Never a secret, never a phone number. */
export function noteRefusal(request: FastifyRequest, more: RefusalNotes): void {
  notes.set(request, { ...notes.get(request), ...more });
}

export function refusalNotesOf(request: FastifyRequest): RefusalNotes {
  return notes.get(request) ?? {};
}
