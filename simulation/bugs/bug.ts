import { type Invariant } from '../oracle/invariants.js';
import { type Oracle } from '../oracle/oracle.js';
import { type Fixture, type Parts } from '../processes/parts.js';

/** A mistake that somebody could make, planted on purpose to see that the simulation finds it. */
export interface Bug {
  readonly name: string;
  /** What is wrong, in a sentence. */
  readonly does: string;
  /** What a schedule that finds it says is broken. */
  readonly breaks: readonly Invariant[];
  /** The parts that have it, instead of the service's own. */
  parts(standard: Parts, fixture: Fixture, oracle: Oracle): Partial<Parts>;
}
