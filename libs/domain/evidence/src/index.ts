export {
  type MessageItem,
  type MessageKind,
  type SealedMessage,
  SealedMessages,
} from './sealed-messages.js';
