export {
  eraseEvidence,
  EraseEvidenceSubject,
  EvidenceErasure,
  type PersonsEvidence,
} from './erase-evidence.command.js';
export { type EvidenceEvent, evidenceEventTypes, evidenceStream } from './evidence.events.js';
export { EvidenceModule } from './evidence.module.js';
export { OpenEvidence } from './open-evidence.command.js';
export {
  type MessageItem,
  type MessageKind,
  type SealedMessage,
  SealedMessages,
} from './sealed-messages.js';
