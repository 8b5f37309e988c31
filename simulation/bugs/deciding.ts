import { type PushOutcome, type PushRequest } from '#domain/rails';
import {
  collectionDecider,
  type CollectionEvent,
  collectionStream,
  type ConfirmCollection,
  ConfirmCollectionHandler,
  viewOf,
} from '#domain/collections';
import { type Pipeline } from '#domain/event-sourcing';
import { ok } from '#domain/kernel';
import { invariants } from '../oracle/invariants.js';
import { keyring } from '../processes/parts.js';
import { SimulatedRail } from '../servers/rail.js';
import { type Bug } from './bug.js';

class SendsAgain extends SimulatedRail {
  override async push(request: PushRequest): Promise<PushOutcome> {
    const outcome = await super.push(request);
    return outcome.kind === 'unknown' ? super.push(request) : outcome;
  }
}

/** Believes a decline by a query even if the money is posted. */
class Downgrading extends ConfirmCollectionHandler {
  constructor(private readonly steps: Pipeline) {
    super(steps);
  }

  override async execute(command: ConfirmCollection) {
    const { key, report, metadata } = command;
    const { verdict } = report;
    if (report.by !== 'query' || verdict.kind !== 'declined') return super.execute(command);
    const { failureCode } = verdict;
    const step = { decider: collectionDecider, stream: collectionStream(key), metadata };
    const declined: CollectionEvent = { type: 'RailDeclined', data: { by: 'query', failureCode } };
    const done = await this.steps.run<
      ReturnType<typeof collectionDecider.evolve>,
      CollectionEvent,
      never
    >(step, ({ status }) => ok(status === 'completed' ? [declined] : []));
    return done.ok && done.value.appended ? ok(viewOf(done.value.state)) : super.execute(command);
  }
}

/** Ignores money that arrives after a decline. */
class EndingForGood extends ConfirmCollectionHandler {
  constructor(private readonly steps: Pipeline) {
    super(steps);
  }

  override async execute(command: ConfirmCollection) {
    const stream = collectionStream(command.key);
    const { state } = await this.steps.load({ decider: collectionDecider, stream });
    return state.status === 'failed' ? ok(viewOf(state)) : super.execute(command);
  }
}

export const decidingBugs: readonly Bug[] = [
  {
    name: 'push-sent-again',
    does: 'a push whose answer did not come in time is sent again',
    breaks: [invariants.onePush],
    parts: (_standard, servers) => ({ rail: (life) => new SendsAgain(life, servers, keyring) }),
  },
  {
    name: 'query-downgrades',
    does: 'a query that says "declined" ends a collection whose money was posted',
    breaks: [invariants.completedStays, invariants.completedWasPaid],
    parts: () => ({ confirming: (pipeline) => new Downgrading(pipeline) }),
  },
  {
    name: 'late-money-dropped',
    does: 'a declined collection is final, so that money which arrives later is dropped',
    breaks: [invariants.durableAcknowledgements, invariants.paidIsAccountedFor],
    parts: () => ({ confirming: (pipeline) => new EndingForGood(pipeline) }),
  },
];
