export {
  findV3Usage,
  listV3Calls,
  listV3CheckoutLinks,
  listV3CountedDays,
  readV3Readiness,
  RecordedV3Usage,
  type V3CountedUsage,
} from './v3-usage.js';
