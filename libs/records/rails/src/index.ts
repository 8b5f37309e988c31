export {
  type CaseFile,
  findCaseFile,
  findPayoutQueries,
  type InboxRow,
  listCallbacksLeft,
  listToldPayments,
  type MadePayoutQueries,
  type WaitingInbox,
  waitingInboxEntries,
} from './case-file.js';
export {
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
  type Opening,
  type UnopenedCallback,
  UnopenedCallbacks,
  unopenedLabel,
} from './unopened-callbacks.js';
