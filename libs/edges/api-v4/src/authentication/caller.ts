import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { type CommandMetadata } from '#domain/event-sourcing';
import { RawBody } from '#shared/http';
import { type Keyring, sealEvidence } from '#shared/signing';
import { type FastifyRequest } from 'fastify';
import { type Credential } from './credential.js';

/** What a merchant's request proves itself with (EVT-24); encrypted wherever it is kept. */
export interface RequestEvidence {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case hex SHA-256 of the body's bytes. */
  readonly bodyDigest: string;
  readonly nonce: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly keyFingerprint: string;
}

/** Who makes a request that passed every check. */
export interface Caller {
  readonly credential: Credential;
  readonly requestId: string;
  readonly evidence: RequestEvidence;
  /** Without quotes; present on money-movement calls. */
  readonly idempotencyKey: string | undefined;
  /** X-PP-Min-Position, as sent. */
  readonly minPosition: string | undefined;
}

/** A body whose sender is known: what a pipe gets. */
export class SignedBody extends RawBody {
  constructor(
    raw: RawBody,
    readonly caller: Caller,
  ) {
    super(raw.bytes, raw.mediaType);
  }
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

export const moneyMovement = 'pesapost:v4:money-movement';

/** Marks a route that moves money: it needs an Idempotency-Key. */
export function MoneyMovement(): MethodDecorator {
  return SetMetadata(moneyMovement, true);
}

/** Who, when and on what evidence, for the command that a request leads to. */
export function metadataOf(caller: Caller, keyring: Keyring): CommandMetadata {
  const { credentialId, holder } = caller.credential;
  return {
    correlationId: caller.requestId,
    actor: { kind: 'credential', id: credentialId, holder },
    ...sealEvidence(keyring, caller.evidence),
  };
}
