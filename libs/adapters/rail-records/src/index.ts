export { RecordedClaimedReferences } from './claimed-references.js';
export { RecordedExtraQueries } from './extra-queries.js';
export { RecordedInbox } from './inbox.js';
export {
  deskRecords,
  noticeRecords,
  railRecords,
  railWorkRecords,
  twoAdminRecords,
  v3Records,
  webhookRecords,
} from './providers.js';
export { RecordedQuerySchedule } from './query-schedule.js';
