export { v3RetirementChannel } from './announcements.js';
export { projectCollectionOrigins, projectV3Retirement } from './project.js';
export {
  findV3Standing,
  isV3Retired,
  listCollectionOrigins,
  listMovingMerchants,
  type MovingMerchant,
  type OriginDay,
  type V3Standing,
} from './query.js';
