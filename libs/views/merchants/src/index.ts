export { CachedMerchants, type LinkKey } from './cached-merchants.js';
export {
  announceCredential,
  type Credential,
  credentialsChannel,
  findCredential,
} from './credentials/query.js';
export { hasEnded, setCredentialEnd } from './credentials/ending.js';
export {
  type EndingCredential,
  listEndingCredentials,
  soonestCredentialEnds,
} from './credentials/ending-list.js';
export { type V3CredentialRecord } from './credentials/named-credentials.js';
export {
  accountOpenedAt,
  findMerchant,
  findMerchants,
  listCredentials,
  listMerchants,
  listOwnCredentials,
  merchantNames,
  merchantOfCredential,
  type MerchantProfile,
  type OwnCredential,
} from './profile.js';
export { projectMerchants } from './project.js';
export { CachedMerchantDirectory, ProjectedAccountNumbers } from './query.js';
