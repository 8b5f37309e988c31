export { throwAwayDatabase, type ThrowAwayDatabase } from './database.js';
export { redisNamespace } from './redis.js';
