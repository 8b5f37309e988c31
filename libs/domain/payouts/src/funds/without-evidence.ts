import { type CommandMetadata } from '#domain/event-sourcing';

/** The service finishes what a request has begun under its own name: the evidence is the request's alone. */
export function withoutEvidence({ correlationId }: CommandMetadata): CommandMetadata {
  return { correlationId, actor: { kind: 'system', id: 'payouts' } };
}
