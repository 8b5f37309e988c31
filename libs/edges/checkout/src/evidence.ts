import { rawBody } from '#shared/http';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Keyring, sealEvidence, sha256Hex } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { type CheckoutLink } from './link/checkout-link.js';
import { type Place } from './page/document.js';

/** Who, when and on what evidence: the link that the merchant's credential signed, and the form that used it. */
export function metadataOf(
  keyring: Keyring,
  request: FastifyRequest,
  link: CheckoutLink,
  { path, rawQuery }: Place,
): CommandMetadata {
  const { credentialId, holder } = link.key;
  const evidence = {
    method: request.method,
    path,
    query: rawQuery,
    bodyDigest: sha256Hex(rawBody(request)?.bytes ?? ''),
    signature: link.hash,
    ...(link.version === 'v4'
      ? { nonce: link.values.nonce, timestamp: link.values.timestamp }
      : {}),
  };
  return {
    correlationId: request.id,
    actor: { kind: 'credential', id: credentialId, holder },
    ...sealEvidence(keyring, evidence),
  };
}
