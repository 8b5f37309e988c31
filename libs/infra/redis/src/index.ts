export {
  type Admission,
  type AdmissionRequest,
  admitRequest,
  type FastClaim,
  KeyClaims,
  type RateLimitState,
} from './admission.js';
export { FailedAttempts, SourceFailures, takeFromBucket } from './failed-attempts.js';
export {
  observeMemory,
  RedisStore,
  type RedisStoreOptions,
  UnsuitableRedis,
} from './redis-store.js';
export { type RailToken, RailTokenCache, type RailTokenCacheOptions } from './rail-token-cache.js';
export { entryLifeSeconds } from './scripts.js';
