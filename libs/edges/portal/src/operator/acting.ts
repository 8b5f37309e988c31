import { type CommandMetadata } from '#domain/event-sourcing';
import { personId } from '#domain/people';
import { type FastifyRequest } from 'fastify';
import { type Viewer } from '../access/viewer.js';

type Metadata = CommandMetadata & { readonly reason: string };

/** Metadata that names the acting person and the reason in the events that follow. */
export function actingAs(request: FastifyRequest, viewer: Viewer, reason: string): Metadata {
  const actor = { kind: 'operator', id: personId(viewer.person) } as const;
  return { correlationId: request.id, actor, reason };
}

/** The same metadata for a person who may leave the reason out. */
export function actingFor(
  request: FastifyRequest,
  viewer: Viewer,
  reason: string | undefined,
): CommandMetadata {
  const { reason: given, ...metadata } = actingAs(request, viewer, reason ?? '');
  return reason === undefined ? metadata : { ...metadata, reason: given };
}
