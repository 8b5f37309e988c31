export { RecordedAccessTokens, RecordedClientSecrets } from './access-tokens.js';
export { RecordedCalls } from './call-records.js';
export {
  insertClientSecret,
  RecordedCredentialSecrets,
  RecordedLinkSecrets,
  sealedLinkSecrets,
} from './credential-secrets.js';
export { RecordedIdempotencyClaims } from './idempotency-claims.js';
export { RecordedUniqueNames } from './unique-names.js';
