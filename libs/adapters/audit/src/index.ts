export { checkHistory, type CheckProgress, type CheckReport, type Fault } from './check.js';
export { StoredLedger } from './ledger-rows.js';
export { RecordedMessages } from './messages.js';
export { HistoryChanged, readHeads } from './sealer.js';
export { NoSealKey, SealKeySigner } from './signer.js';
export { RecordedTiles, TilesDamaged, TreesMoved } from './tiles.js';
export { proofsOf, sealerOf } from './wiring.js';
