export { listPending, type PendingCollection } from './pending.js';
export { awaitsRail, isAskedAbout, mayStillBePaid, projectRailQueries } from './project.js';
export {
  dueRailQueries,
  type OverdueCollection,
  overdueCollections,
  type RailQueriesEdge,
  railQueryLease,
  waitingCollections,
} from './query.js';
