import { type ExpectedRevision } from './event-store.js';

/** A state and the revision at which it held. */
export interface Folded<State> {
  readonly state: State;
  readonly revision: ExpectedRevision;
}
