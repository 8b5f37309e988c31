export { type BatchCase, BatchCases, type NamedBatch, type NotOneBatch } from './batch-cases.js';
export {
  type CaseFile,
  CaseRecords,
  type InboxRow,
  type LastAuditCheck,
  type RetainedMessage,
  type MadePayoutQueries,
  type MadeRailQuery,
  type StoredReviewProposal,
  type OwedDelivery,
  type WaitingInbox,
} from './case-records.js';
export {
  type Case,
  Cases,
  type CollectionCase,
  type Named,
  type NotOne,
  type PayoutCase,
} from './cases.js';
export {
  confirmCommand,
  type DecisionMeaning,
  decisionsFor,
  type PossibleDecision,
} from './decisions.js';
export {
  type Found,
  type FoundBy,
  type FoundStream,
  type LogSearch,
  type KnownAs,
  SearchSources,
} from './find-streams.js';
export { type Item, itemOf, itemStream, type ItemType, itemTypes } from './item.js';
export { nextActions } from './next-actions.js';
export { commandFor, installationOf } from './platform-commands.js';
export { type Installation, type PlatformTodo, platformTodos } from './platform-todos.js';
export {
  lastSeenSeconds,
  type MissingApp,
  processFaults,
  type ProcessesStanding,
  processesStanding,
  type ProcessSeen,
} from './processes.js';
export {
  type DeliveriesStanding,
  type FloatStanding,
  isFault,
  type MissedMoney,
  type PartStanding,
  PlatformRecords,
  platformStanding,
  PlatformSources,
  RailWatch,
  type ServerPart,
  serverStandings,
} from './platform.js';
export { watchSeals } from './watch-seals.js';
export { type NextAction, type NextCode, RailSchedule } from './rail-schedule.js';
export {
  confirmCorrectionRefusals,
  confirmPayoutRefusals,
  confirmRefusals,
  correctionRefusals,
  endCorrectionRefusals,
  resolvePayoutRefusals,
  resolveRefusals,
} from './refusals.js';
export { causeOf, causes } from './review-cause.js';
export {
  readCorrectionId,
  readForEver,
  readLeg,
  readMinorAmount,
  readPaidAt,
  readReceipt,
  readWholeAmount,
  type TypedWrong,
  typedWrong,
} from './typed.js';
