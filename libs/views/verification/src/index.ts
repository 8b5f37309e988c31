export { type Difference } from './difference.js';
export { type EvidenceOptions } from './evidence-check.js';
export { type VerifyProgress, type VerifyReport, verifyViews } from './verify-views.js';
