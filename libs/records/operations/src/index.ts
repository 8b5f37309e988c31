export { findLastAuditCheck, type LastAuditCheck, recordAuditCheck } from './audit-checks.js';
export { deleteExpired, deleteOld, type Retention } from './delete-expired.js';
export {
  announcementToldAt,
  type ChannelName,
  endNotice,
  type NewNotice,
  noteWaiting,
  type Notice,
  takeNotices,
} from './notices.js';
export { sealedRecordTables } from './sealed-tables.js';
