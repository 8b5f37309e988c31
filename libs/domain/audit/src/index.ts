export { SealingModule } from './audit.module.js';
export {
  auditEventTypes,
  auditStream,
  sealedType,
  type DayHead,
  type DaySealed,
  headOf,
  headText,
} from './day-head.js';
export {
  edgeOf,
  Frontier,
  nodeHash,
  Prover,
  provesConsistency,
  provesInclusion,
  type TreeHead,
} from './merkle.js';
export {
  isPosting,
  leafHash,
  leafText,
  type LegsPlace,
  linkHash,
  type Posting,
  postingOf,
  type Sha256,
} from './posting.js';
export {
  type InclusionProof,
  PostingProofs,
  ProofFails,
  type ProofOfStream,
  type ProvedPosting,
  provedPostingObject,
  type SealedHead,
  sealedHeadObject,
} from './proofs.js';
export { SealDay } from './seal/seal-day.command.js';
export { type DayToSeal, decideSealDay, HeadSigner, toSize } from './seal/seal-day.decide.js';
export { fromHex, hex, recordHash, StoredLog, type StoredRecord } from './stored-log.js';
