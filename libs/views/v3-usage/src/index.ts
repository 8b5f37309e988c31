export { projectCollectionOrigins, projectV3Retirement, v3RetirementChannel } from './project.js';
export {
  findV3Standing,
  isV3Retired,
  listCollectionOrigins,
  listMovingMerchants,
  type MovingMerchant,
  type OriginDay,
  type V3Standing,
} from './query.js';
