export { findStreamsOfNumber, RecordedEvidenceErasure } from './evidence-erasure.js';
export { RecordedLosses } from './losses.js';
export {
  digestOfMessages,
  findMessages,
  insertOfMessages,
  messageArrays,
  messageColumns,
  messageRows,
  messageValues,
  RecordedSealedMessages,
  type StoredMessage,
} from './sealed-messages.js';
