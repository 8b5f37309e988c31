import {
  noncePattern,
  nonceTtlSeconds,
  timestampPattern,
  timestampToleranceMs,
} from '../authentication/checks.js';
import { idempotencyKeyPattern } from '../idempotency/idempotency-key.js';
import { minPositionPattern, maxWaitMs } from '../min-position.js';

/** The forms and times that a signed request must keep to, as the checks have them. */
export const requestLimits = {
  noncePattern,
  nonceTtlSeconds,
  timestampPattern,
  timestampToleranceSeconds: timestampToleranceMs / 1000,
  idempotencyKeyPattern,
  minPositionPattern,
  minPositionWaitMs: maxWaitMs,
} as const;
