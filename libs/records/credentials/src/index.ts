export { AccessTokens, type ClientSecret, ClientSecrets } from './access-tokens.js';
export {
  CallRecords,
  type CallsCount,
  type CallsWanted,
  type ListedCall,
  type LoggedCall,
  type NotedCalls,
} from './call-records.js';
export {
  findLinkSecrets,
  insertClientSecret,
  RecordedCredentialSecrets,
  sealedLinkSecrets,
} from './credential-secrets.js';
export { type Claim, IdempotencyClaims, type NewClaim } from './idempotency-claims.js';
export { RecordedUniqueNames } from './unique-names.js';
