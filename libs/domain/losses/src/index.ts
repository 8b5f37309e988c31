export { AcceptedLosses } from './accepted-losses.js';
export { acceptLosses, AcceptLossesSubject, LossRecords } from './accept/accept-losses.command.js';
export { type LossesRefusal } from './accept/accept-losses.decide.js';
export { ListLosses } from './list/list-losses.command.js';
export { type Loss, type LossChunk, LossCollector } from './loss-collector.js';
export { LossLists } from './loss-lists.js';
export {
  isLossStream,
  type LossEvent,
  lossEventTypes,
  type LossesAccepted,
  type LossesListed,
  lossesStream,
  type LossList,
  lossListStream,
  type LossSummary,
} from './losses.events.js';
export { LossesModule } from './losses.module.js';
