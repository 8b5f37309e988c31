import { RecentMap } from '#domain/kernel';
import { type ExpectedRevision } from './event-store.js';

/** A state and its revision. */
export interface Folded<State> {
  readonly state: State;
  readonly revision: ExpectedRevision;
}

/**
 * At least the last half is remembered: every collection of the last seconds at full load. A state takes about a
 * kilobyte.
 */
const maxRememberedStates = 20_000;

/**
 * The states of streams that this process wrote recently. The next step of a stream, such as the rail's report on a
 * push, mostly comes soon and to the same process, and then needs no read.
 *
 * A remembered state may be stale, since other processes write too. That is safe if it leads to an append: the append
 * asserts the revision, and a stale one writes nothing. It must not be trusted to conclude that there is nothing to do
 * (docs/adr/0013).
 */
export class RecentStates {
  private readonly states = new RecentMap<string, Folded<unknown>>(maxRememberedStates);

  /** @typeParam State the decider's state: each stream has one decider */
  recall<State>(stream: string): Folded<State> | undefined {
    return this.states.get(stream) as Folded<State> | undefined;
  }

  remember(stream: string, folded: Folded<unknown>): void {
    this.states.set(stream, folded);
  }

  forget(stream: string): void {
    this.states.delete(stream);
  }
}
