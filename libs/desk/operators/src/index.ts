export { type BatchCase, BatchCases, type NamedBatch, type NotOneBatch } from './batch-cases.js';
export {
  type Case,
  Cases,
  type CollectionCase,
  type Named,
  type NotOne,
  type PayoutCase,
} from './cases.js';
export {
  caseMoney,
  type DecidedMoney,
  decisionMoney,
  type DecisionMoney,
} from './decision-money.js';
export { type DecisionMeaning, decisionsFor, type PossibleDecision } from './decisions.js';
export { type EndpointUrlWrong, maxEndpointUrlLength, readEndpointUrl } from './endpoint-url.js';
export {
  type Found,
  type FoundBy,
  type FoundStream,
  type LogSearch,
  type KnownAs,
  SearchSources,
} from './find-streams.js';
export { type DeskAction, type NamedItem, type CorrectionToPropose } from './findings/actions.js';
export {
  type FindingSituation,
  findingStep,
  type UnclearReversal,
} from './findings/finding-step.js';
export {
  type MissedPayment,
  type MissedSituation,
  missedStep,
  railCurrency,
} from './findings/missed-step.js';
export { postSweeps, type StatementSweep } from './findings/post-sweeps.js';
export { type Item, itemOf, itemStream, type ItemType, itemTypes } from './item.js';
export { nextActions } from './next-actions.js';
export { type Installation, installationOf, type PlatformTodo } from './platform-todos.js';
export {
  lastSeenSeconds,
  type MissingApp,
  processFaults,
  type ProcessesStanding,
  processesStanding,
  type ProcessSeen,
} from './processes.js';
export {
  type BalanceStanding,
  type FloatStanding,
  isFault,
  type PartStanding,
  platformStanding,
  PlatformSources,
  RailWatch,
  type ServerPart,
  serverStandings,
} from './platform.js';
export { watchSeals } from './watch-seals.js';
export { type NextAction, type NextCode, RailSchedule } from './rail-schedule.js';
export { openReviewCause } from './open-review-cause.js';
export { daysLeft, type EndWrong, isEndForm, readEnd } from './ends.js';
export {
  readCorrectionId,
  readForEver,
  readLeg,
  readMinorAmount,
  readPaidAt,
  readReceipt,
  readWholeAmount,
  type TypedWrong,
} from './typed.js';
