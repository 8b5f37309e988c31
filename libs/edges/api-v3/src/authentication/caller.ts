import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Keyring, sealEvidence } from '#shared/signing';
import { type V3CredentialRecord } from '#views/merchants';
import { type FastifyRequest } from 'fastify';

/** What a V3 request proves itself with (EVT-24); V3 has no nonce and no timestamp. */
export interface RequestEvidence {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case hex SHA-256 of the body's bytes. */
  readonly bodyDigest: string;
  readonly signature: string;
  readonly keyFingerprint: string;
}

/** Who makes a request whose signature verified. */
export interface Caller {
  readonly credential: V3CredentialRecord;
  readonly requestId: string;
  readonly evidence: RequestEvidence;
}

const callers = new WeakMap<FastifyRequest, Caller>();

export function rememberCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** Hands a controller the caller of its request. */
export const ByCaller = createParamDecorator((_: undefined, context: ExecutionContext): Caller => {
  const caller = callers.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (!caller) throw new TypeError('a route asks for its caller but is not authenticated');
  return caller;
});

/** Who, when and on what evidence, for the command that a request leads to. */
export function metadataOf(caller: Caller, keyring: Keyring): CommandMetadata {
  const { credentialId, holder } = caller.credential;
  return {
    correlationId: caller.requestId,
    actor: { kind: 'credential', id: credentialId, holder },
    ...sealEvidence(keyring, caller.evidence),
  };
}
