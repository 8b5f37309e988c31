export { checkHistory, type CheckProgress, type CheckReport } from './check.js';
export { type Fault } from './fault.js';
export { type ArchivedHead, type TrustedKey } from './heads.js';
export { readArchivedHead } from './archived-head.js';
export {
  type CheckedMessage,
  type Contents,
  holdsMessage,
  type Naming,
} from './checked-message.js';
export { StoredLedger } from './ledger-rows.js';
export { messagesKeptSince, RecordedMessages } from './messages.js';
export { UnreadablePosting } from './places.js';
export { HistoryChanged, readHeads, readNewestHead, SealKeyReplaced } from './sealer.js';
export { consistencyOf, type ConsistencyProof } from './proofs.js';
export { maxMessages, OpenedMessages } from './opened-messages.js';
export { NoSealKey, SealKeySigner } from './signer.js';
export { proverOf, RecordedTiles, TilesDamaged, TreesMoved } from './tiles.js';
export { proofsOf, sealerOf, sealMarginMs } from './wiring.js';
