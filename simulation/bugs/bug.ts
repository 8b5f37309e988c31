import { type Invariant } from '../oracle/invariants.js';
import { type Oracle } from '../oracle/oracle.js';
import { type Fixture, type Parts } from '../processes/parts.js';

/** A possible mistake, planted on purpose to check that the simulation finds it. */
export interface Bug {
  readonly name: string;
  /** The mistake in one sentence. */
  readonly does: string;
  /** The invariants that a schedule may report as broken. */
  readonly breaks: readonly Invariant[];
  /** Returns the parts with the mistake, in place of the service's own. */
  parts(standard: Parts, fixture: Fixture, oracle: Oracle): Partial<Parts>;
}
