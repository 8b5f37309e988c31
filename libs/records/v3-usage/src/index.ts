export {
  addV3Counts,
  findV3Usage,
  listV3Calls,
  listV3CheckoutLinks,
  listV3CountedDays,
  readV3Readiness,
  type V3CountedUsage,
  type V3Counting,
  type V3Counts,
} from './v3-usage.js';
