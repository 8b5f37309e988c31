export {
  advanceCheckpoint,
  type Checkpoint,
  CheckpointMoved,
  databaseNow,
  noteFresh,
  noteLinked,
  noteUnlinked,
  readCheckpoint,
  viewSetIdentity,
  viewStanding,
} from './checkpoint.js';
export { offsetProblem } from './clock-offset.js';
export { completeViews, createViews, viewSchema } from './create-views.js';
export {
  builtViews,
  NotReached,
  type OwnServability,
  ownServability,
  type ReadBound,
  requireNotQuarantined,
  requireOwnServable,
  requireReached,
  requireServable,
  type Servability,
  ViewProgress,
} from './freshness.js';
export { liveDataOf } from './live-data.js';
export { dayBeginsAt } from './day-edge.js';
export { LocalDays, type MerchantInstant, minuteOf } from './local-days.js';
export { PastReads } from './past-reads.js';
export { openReadViews, openViews, prepare } from './open-views.js';
export { type Partition, partitionOf, prefixesOf, type Scope, stoppedWith } from './partition.js';
export {
  endQuarantines,
  quarantinedPartitions,
  moveQuarantines,
  noteRetried,
  putQuarantines,
  type Quarantine,
  quarantines,
  quarantinesOf,
  type QuarantineSummary,
  requestRetry,
  isAnyQuarantined,
  requireNoQuarantine,
  summaryOf,
} from './quarantines.js';
export { projectedPrefixes } from './projected-prefixes.js';
export { Recordset, recordset } from './recordset.js';
export { Generations, type Remembered } from './remembered.js';
