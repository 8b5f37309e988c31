export {
  type Admission,
  type AdmissionRequest,
  admitRequest,
  type RateLimitState,
} from './admission.js';
export { FailedAttempts } from './failed-attempts.js';
export { KeyClaims } from './key-claims.js';
export { type RailToken, RailTokenCache, type RailTokenCacheOptions } from './rail-token-cache.js';
export { RedisStore, type RedisStoreOptions, UnsuitableRedis } from './redis-store.js';
export { SourceFailures } from './source-failures.js';
export { takeFromBucket } from './take-from-bucket.js';
