export { fillViews, Following } from './following.js';
export { type Comparison, type RowDifference, sumsOfSet } from './compare.js';
export { listReplays, type RecordedReplay } from './records.js';
export {
  buildFirst,
  drop,
  replay,
  type ReplayOptions,
  type ReplayProgress,
  ReplayRefused,
  type ReplayReport,
  rollback,
  SwapUnknown,
} from './replay.js';
export { listViewSets, type SetState, type ViewSet } from './sets.js';
