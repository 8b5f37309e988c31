export { projectCollectionOrigins, projectV3Retirement, v3RetirementChannel } from './project.js';
export { dayOf } from './days.js';
export {
  type MerchantReadiness,
  type MissingToMove,
  type Readiness,
  readinessDaysUpTo,
  readinessFrom,
  unattributedV3Caller,
  unknownV3Caller,
  type V3Calls,
  type V3CheckoutLinks,
  type V3Counted,
  type V3PhoneReferences,
} from './readiness.js';
export {
  findV3Standing,
  hadV3Credential,
  isV3Retired,
  listCollectionOrigins,
  listMovingMerchants,
  type MovingMerchant,
  type OriginDay,
  type V3Standing,
} from './query.js';
