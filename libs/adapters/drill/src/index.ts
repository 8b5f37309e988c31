export { type DrillOptions, drillOwnCopy, drillRestored } from './drill.js';
export { DrillRefused } from './drill-refused.js';
