export {
  type Admission,
  type AdmissionRequest,
  admitRequest,
  type RateLimitState,
} from './admission.js';
export { FailedAttempts } from './failed-attempts.js';
export { type FastClaim, KeyClaims } from './key-claims.js';
export { observeMemory } from './observe-memory.js';
export { type RailToken, RailTokenCache, type RailTokenCacheOptions } from './rail-token-cache.js';
export { RedisStore, type RedisStoreOptions, UnsuitableRedis } from './redis-store.js';
export { SourceFailures, takeFromBucket } from './take-from-bucket.js';
export { entryLifeSeconds } from './scripts.js';
