import { type QueryOutcome, type RailPayment } from '#domain/rails';
import {
  type CollectionEvent,
  ConfirmCollection,
  ConfirmCollectionHandler,
} from '#domain/collections';
import { type EventRecord, type Folded, Pipeline, type Step } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { type DueQuery } from '#edges/rails';
import { type AskableRail } from '#views/rail-queries';
import { invariants } from '../oracle/invariants.js';
import { keyring } from '../processes/parts.js';
import { SimulatedRail } from '../servers/rail.js';
import { SimulatedQuerySchedule } from '../servers/record-ports.js';
import { type Bug } from './bug.js';

/** Asks only about pending collections, and removes the questions about all others. */
class PendingAlone extends SimulatedQuerySchedule {
  override async due(rails: readonly AskableRail[], max: number): Promise<readonly DueQuery[]> {
    const due = await super.due(rails, max);
    const isPending = ({ stream }: DueQuery): boolean => this.timetable.isPending(stream);
    for (const query of due.filter((one) => !isPending(one)))
      if (this.tables.leaseAttempt(query.stream, query.attempt))
        this.tables.concludeAttempt(query.stream, query.attempt, 'struck off');
    return due.filter(isPending);
  }
}

/** Treats every decline by a query as a repetition of the previous query's. */
class OnceIsEnough extends ConfirmCollectionHandler {
  override execute(command: ConfirmCollection) {
    const { key, report, metadata } = command;
    const repeated = report.by === 'query' ? { ...report, repeated: true } : report;
    return super.execute(new ConfirmCollection(key, repeated, metadata));
  }
}

/** Treats a question that the rail had no time for as answered. */
class NeverBusy extends SimulatedRail {
  override async query(payment: RailPayment): Promise<QueryOutcome> {
    const outcome = await super.query(payment);
    return outcome.kind === 'not_asked' ? { kind: 'unresolved' } : outcome;
  }
}

/** Records from a decline only that it is one. */
class WithoutReference extends Pipeline {
  override run<State, E extends EventRecord, Refusal>(
    step: Step<State, E>,
    decide: (state: State) => Result<readonly E[], Refusal>,
    known?: Folded<State>,
  ) {
    const forgetful = (state: State): Result<readonly E[], Refusal> => {
      const decision = decide(state);
      if (!decision.ok || !isDecline(decision.value)) return decision;
      return ok(decision.value.filter(({ type }) => type !== 'RailPushAccepted'));
    };
    return super.run<State, E, Refusal>(step, forgetful, known);
  }
}

function isDecline(events: readonly EventRecord[]): boolean {
  const declined: CollectionEvent['type'] = 'RailDeclined';
  return events.some(({ type }) => type === declined);
}

export const askingBugs: readonly Bug[] = [
  {
    name: 'decline-ends-asking',
    does: 'a declined collection is taken off the query schedule',
    breaks: [invariants.paidIsAccountedFor, invariants.declinedIsAskedAbout],
    parts: (_standard, { records, timetable }) => ({
      schedule: (life) => new PendingAlone(life, timetable, records),
    }),
  },
  {
    name: 'first-decline-counts',
    does: 'a query that says "declined" fails a collection though no other has said so',
    breaks: [invariants.declineIsRepeated],
    parts: () => ({ confirming: (pipeline) => new OnceIsEnough(pipeline) }),
  },
  {
    name: 'unasked-is-listed',
    does: 'a question that the rail did not take counts as asked, so that a timeout is listed for review',
    breaks: [invariants.askedBeforeReview],
    parts: (_standard, servers) => ({ rail: (life) => new NeverBusy(life, servers, keyring) }),
  },
  {
    name: 'decline-without-reference',
    does: 'a decline by callback omits the rail reference, so that the rail cannot be asked what came after',
    breaks: [invariants.paidIsAccountedFor],
    parts: () => ({ pipeline: (store, ids) => new WithoutReference(store, ids) }),
  },
];
