import { type CommandMetadata } from '#domain/event-sourcing';

/**
 * Returns metadata under the service's own name, without evidence. The service uses it to finish a request, because the
 * evidence belongs to the request only.
 */
export function withoutEvidence({ correlationId }: CommandMetadata): CommandMetadata {
  return { correlationId, actor: { kind: 'system', id: 'payouts' } };
}
