export {
  type Actor,
  type CommandMetadata,
  type EventMetadata,
  type EventTypes,
  type Evidence,
  type Proof,
  type StoredEvent,
  type StoredForm,
  traceIn,
} from './stored-event.js';
export {
  type Appended,
  type EventPlace,
  type EventRecord,
  EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  type NewEvent,
  type Position,
  type RecordedEvent,
  type Subscription,
  type SubscriptionItem,
  UnknownEventType,
  UnreadableEvent,
  WrongExpectedRevision,
} from './event-store.js';
export { holdsEvent } from './holds-event.js';
export { type Decider, type Done, fold, type Loaded, Pipeline, type Step } from './pipeline.js';
export { type Folded } from './recent-states.js';
