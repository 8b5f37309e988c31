import { SetMetadata } from '@nestjs/common';
import { callersOf, RawBody } from '#shared/http';
import { type Credential } from './credential-cache.js';

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

export const { rememberCaller, ByCaller } = callersOf<Caller>();

export const moneyMovement = 'pesapost:v4:money-movement';

/** Marks a route that moves money: it needs an Idempotency-Key. */
export function MoneyMovement(): MethodDecorator {
  return SetMetadata(moneyMovement, true);
}
