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
      'Base64 of the RSASSA-PKCS1-v1_5 signature with SHA-256 over the string to sign, by the key of the credential.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' },
  },
  Nonce: {
    name: 'X-PP-Nonce',
    in: 'header',
    required: true,
    description: `New for every request, retries included. Remembered for ${requestLimits.nonceTtlSeconds} s.`,
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
      'Yours, one for each thing that you want to happen; the same on every retry of it. Quotes around it are stripped. Kept for 30 days.',
    schema: { type: 'string', pattern: idempotencyKeyPattern.source },
    example: '9f1c7a52-54b8-4a3f-8c8e-6a3c3f8f3d51',
  },
  MinPosition: {
    name: 'X-PP-Min-Position',
    in: 'header',
    required: false,
    description: `An earlier answer’s X-PP-Ledger-Position. A view waits up to ${requestLimits.minPositionWaitMs / 1000} s to reach it, else 503: so you read your own writes.`,
    schema: { type: 'string', pattern: minPositionPattern.source },
    example: '41822',
  },
  AtPosition: {
    name: 'X-PP-At-Position',
    in: 'header',
    required: false,
    description:
      'A position of the ledger, such as an earlier answer’s X-PP-Ledger-Position: the answer is as of there, from the ledger’s entries, however long ago. Where the view has not reached it, it is waited for as for X-PP-Min-Position. For reconciliation and audits: few are answered at a time, and more get 503.',
    schema: { type: 'string', pattern: minPositionPattern.source },
    example: '41822',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'Your own id for logs. An id of another form is never refused: a new one replaces it, and the answer’s X-Request-Id carries the new one. An id that may hold a phone number is replaced too: `1` or `7` and eight more digits, separators left out. A UUID is kept.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
  },
} as const satisfies Record<string, Parameter>;

export function parameterRef(name: keyof typeof parameterComponents): { readonly $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}
