import { type CommandMetadata } from '#domain/event-sourcing';
import { personId } from '#domain/people';
import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../access/viewer.js';

type Metadata = CommandMetadata & { readonly reason: string };

/** Who acts, and why, as it stands in the events that follow. */
export function actingAs(request: FastifyRequest, viewer: Viewer, reason: string): Metadata {
  const actor = { kind: 'operator', id: personId(viewer.person) } as const;
  return { correlationId: request.id, actor, reason };
}

/** Without a reason of their own. */
export function actingFor(
  request: FastifyRequest,
  viewer: Viewer,
  reason: string | undefined,
): CommandMetadata {
  const { reason: given, ...metadata } = actingAs(request, viewer, reason ?? '');
  return reason === undefined ? metadata : { ...metadata, reason: given };
}
