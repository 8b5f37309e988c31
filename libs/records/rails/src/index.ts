export {
  type ListedUnmatched,
  listUnmatchedPayments,
  waitingListedPayments,
} from './unmatched-payments.js';
export { countUnopenedCallbacks, RecordedUnopenedCallbacks } from './unopened-callbacks.js';
export { waitingInboxEntries } from './waiting-inbox.js';
