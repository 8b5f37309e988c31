export { throwAwayDatabase, type ThrowAwayDatabase } from './database.js';
export { redisNamespace } from './redis.js';
export { type RequestToSign, signedHeaders, type Signer } from './signed-request.js';
