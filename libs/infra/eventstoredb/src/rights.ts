import { EventStoreUnavailable } from '#domain/event-sourcing';
import { randomUUID } from 'node:crypto';
import { type ProposedAppend } from './wire/batch-append-request.js';

/** The store knows the caller and refuses the request, or refuses the user or password. */
export class AccessDenied extends EventStoreUnavailable {
  constructor() {
    super('access denied: check the user of EVENTSTORE_URL and its rights');
  }
}

/** The user of EVENTSTORE_URL lacks a right that the service needs. The message says how to grant it, in one line. */
export class MissingRight extends Error {
  override readonly name = 'MissingRight';
}

const howTo = 'docs/how-to/run-on-real-servers.md, "The smallest user"';

/** A call that needs a right, and the name of what the user may not do without it. */
export type Probe = readonly [what: 'read' | 'append' | 'read $all', ask: () => Promise<unknown>];

/**
 * Checks each right.
 * @throws MissingRight; EventStoreUnavailable if the store does not answer
 */
export async function requireAll(probes: readonly Probe[]): Promise<void> {
  const missing: Probe[0][] = [];
  for (const [what, ask] of probes) {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof AccessDenied)) throw error;
      missing.push(what);
    }
  }
  if (missing.length > 0) throw new MissingRight(tellsOf(missing, probes.length));
}

function tellsOf(missing: readonly Probe[0][], asked: number): string {
  if (missing.length === asked)
    return `EVENTSTORE_URL: the event store refuses the user or its password, or lets it do nothing: write user:password@ before the host (${howTo})`;
  const grants = missing.map((what) =>
    what === 'read $all'
      ? 'may not read $all: as an admin, name it under $acl.$r in the metadata of $all'
      : `may not ${what} streams: as an admin, name it in the default stream ACL of $settings`,
  );
  return `EVENTSTORE_URL: its user ${grants.join(', and ')} (${howTo})`;
}

/** An append that is never written: no stream gets that long. The store checks rights first. */
export function impossibleAppend(stream: string): ProposedAppend {
  const event = { id: randomUUID(), type: 'Nothing', data: '{}', metadata: '{}' };
  return { stream, expectedRevision: 2n ** 52n, events: [event] };
}
