export { type CommandLineAct, noteAct, tellActs } from './command-line-acts.js';
export { RecordedHandledExceptions } from './handled-exceptions.js';
export { RecordedProposals } from './proposals.js';
export { RecordedSavedViews } from './saved-views.js';
export {
  RecordedPendingForms,
  RecordedPersonNames,
  RecordedPersonSessions,
  RecordedSessions,
  sealedHeldForms,
} from './sessions.js';
