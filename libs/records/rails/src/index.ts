export {
  type CaseFile,
  findCaseFile,
  findPayoutQueries,
  type InboxRow,
  listCallbacksLeft,
  listUnpostedReports,
  type MadePayoutQueries,
  type WaitingInbox,
  waitingInboxEntries,
} from './case-file.js';
export {
  isKnownReceipt,
  type ListedUnmatched,
  listUnmatchedPayments,
  missedMoney,
  type MissedMoney,
  type UnmatchedFilter,
  unmatchedSum,
  waitingListedPayments,
} from './unmatched-payments.js';
export {
  countUnopenedCallbacks,
  type Keeping,
  type Opening,
  type UnopenedCallback,
  UnopenedCallbacks,
  unopenedLabel,
} from './unopened-callbacks.js';
export {
  countUnpostedReports,
  dismissReport,
  leftReport,
  isUnposted,
  modeOfReport,
  type UnpostedReports,
} from './unposted-reports.js';
