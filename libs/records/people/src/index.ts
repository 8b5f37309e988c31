export {
  type AccessRequest,
  type AccessRequestKind,
  AccessRequests,
  type AccessRequestStatus,
  type AskRefusal,
  type NewAccessRequest,
} from './access-requests.js';
export { type CommandLineAct, noteAct, tellActs } from './command-line-acts.js';
export {
  type AccountDay,
  exceptionKey,
  type Handled,
  handledExceptions,
} from './handled-exceptions.js';
export {
  type DescribedItems,
  type DescribedPayment,
  type DescribedVerb,
  type Description,
  type PendingForm,
  type PendingFormKey,
  PendingForms,
  sealedHeldForms,
} from './pending-forms.js';
export { type KnownPerson, PersonNames } from './person-names.js';
export { RecordedProposals } from './proposals.js';
export { dropSavedView, keepSavedView, listSavedViews, type SavedView } from './saved-views.js';
export { RenewalTokens, sealedRenewals } from './renewal-tokens.js';
export {
  type FoundSession,
  type NewSession,
  type OpenSession,
  RecordedPersonSessions,
  type Session,
  type SessionEnds,
  Sessions,
} from './sessions.js';
