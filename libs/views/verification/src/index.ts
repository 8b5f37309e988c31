export { type Difference } from './difference.js';
export { type EvidenceOptions } from './messages-check.js';
export { type VerifyProgress, type VerifyReport, verifyViews } from './verify-views.js';
