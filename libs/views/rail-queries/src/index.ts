export { awaitsRail, isAskedAbout, mayStillBePaid } from './awaits-rail.js';
export { listPending, type PendingCollection } from './pending.js';
export { projectRailQueries } from './project.js';
export {
  dueRailQueries,
  type OverdueCollection,
  overdueCollections,
  railQueryLease,
  type RailQueriesEdge,
  waitingCollections,
} from './query.js';
