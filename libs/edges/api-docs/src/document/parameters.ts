import { requestLimits } from '#edges/api-v4';
import { type Parameter } from './open-api.js';

const { noncePattern, timestampPattern, idempotencyKeyPattern, minPositionPattern } = requestLimits;

/** The headers of a request, by their component's name. */
export const parameterComponents = {
  Signature: {
    name: 'X-PP-Signature',
    in: 'header',
    required: true,
    description:
      'The RSASSA-PKCS1-v1_5 signature with SHA-256 over the string to sign, made with the credential’s key, in base64.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' },
  },
  Nonce: {
    name: 'X-PP-Nonce',
    in: 'header',
    required: true,
    description: `A new value for every request, retries included. It is remembered for ${requestLimits.nonceTtlSeconds} s.`,
    schema: { type: 'string', pattern: noncePattern.source },
    example: 'b1946ac92492d2347c6235b4d2611184',
  },
  Timestamp: {
    name: 'X-PP-Timestamp',
    in: 'header',
    required: true,
    description: `Unix seconds, within ${requestLimits.timestampToleranceSeconds} s of the server’s clock, either side.`,
    schema: { type: 'string', pattern: timestampPattern.source },
    example: '1767225600',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'Your key: a new one for each intended action, and the same one for every retry of it. Surrounding quotes are stripped. It is kept for 30 days.',
    schema: { type: 'string', pattern: idempotencyKeyPattern.source },
    example: '9f1c7a52-54b8-4a3f-8c8e-6a3c3f8f3d51',
  },
  MinPosition: {
    name: 'X-PP-Min-Position',
    in: 'header',
    required: false,
    description: `The X-PP-Ledger-Position of an earlier answer. The view waits up to ${requestLimits.minPositionWaitMs / 1000} s to reach it; otherwise the answer is 503. This lets you read your own writes.`,
    schema: { type: 'string', pattern: minPositionPattern.source },
    example: '41822',
  },
  AtPosition: {
    name: 'X-PP-At-Position',
    in: 'header',
    required: false,
    description:
      'A position of the ledger, such as the X-PP-Ledger-Position of an earlier answer. The answer is as of that position, from the ledger’s entries, however old it is. If the view has not reached it, the request waits as for X-PP-Min-Position. It is meant for reconciliation and audits: only a few such requests are answered at a time, and others get 503.',
    schema: { type: 'string', pattern: minPositionPattern.source },
    example: '41822',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'Your own id for logs. An id of another form is not rejected: a new one replaces it and is in the answer’s X-Request-Id. An id that may contain a phone number (`1` or `7` and eight more digits, ignoring separators) is replaced too. A UUID is kept.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
  },
} as const satisfies Record<string, Parameter>;

export function parameterRef(name: keyof typeof parameterComponents): { readonly $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}
