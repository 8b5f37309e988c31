export { listPending, type PendingCollection } from './pending.js';
export { awaitsRail, isAskedAbout, mayStillBePaid, projectRailQueries } from './project.js';
export {
  type AskableRail,
  dueRailQueries,
  type OverdueCollection,
  overdueCollections,
  type RailQueriesEdge,
  railQueryLease,
  type WaitingCollections,
  waitingCollections,
} from './query.js';
