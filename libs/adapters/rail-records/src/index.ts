export { RecordedClaimedReferences } from './claimed-references.js';
export { RecordedExtraQueries } from './extra-queries.js';
export { RecordedInbox } from './inbox.js';
export { railRecords, railWorkRecords } from './providers.js';
export { RecordedQuerySchedule } from './query-schedule.js';
