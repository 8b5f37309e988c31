import { createHash } from 'node:crypto';
import {
  type Appended,
  type EventRecord,
  type ExpectedRevision,
  type Folded,
  type NewEvent,
  Pipeline,
  type Step,
} from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { VirtualTimer } from '../core/ports.js';
import { invariants } from '../oracle/invariants.js';
import { SimulatedEventStore } from '../servers/event-store.js';
import { type Bug } from './bug.js';

class AnyRevision extends SimulatedEventStore {
  protected override write(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Appended {
    const head = this.log.stream(stream).at(-1)?.revision;
    return this.log.append(
      stream,
      expected === 'no_stream' ? expected : (head ?? expected),
      events,
    );
  }
}

class FreshIdsAtTheHead extends SimulatedEventStore {
  protected override write(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    attempt: number,
  ): Appended {
    const head = this.log.stream(stream).at(-1)?.revision;
    if (attempt === 1 || head === undefined) return this.log.append(stream, expected, events);
    const renewed = events.map((event) => ({ ...event, id: `${event.id}-${attempt}` }));
    return this.log.append(stream, head, renewed);
  }
}

class DerivedIds extends SimulatedEventStore {
  protected override write(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Appended {
    const derived = events.map((event) => ({
      ...event,
      id: createHash('sha256').update(`${stream} ${event.event.type}`).digest('hex'),
    }));
    return this.log.append(stream, expected, derived);
  }
}

/** Remembers a state before the append that makes it true, and concludes "nothing to do" from it. */
class Trusting extends Pipeline {
  readonly #remembered = new Map<string, Folded<unknown>>();

  override async run<State, E extends EventRecord, Refusal>(
    step: Step<State, E>,
    decide: (state: State) => Result<readonly E[], Refusal>,
    known?: Folded<State>,
  ) {
    const remembered = this.#remembered.get(step.stream) as Folded<State> | undefined;
    if (remembered) {
      const decision = decide(remembered.state);
      if (decision.ok && decision.value.length === 0) return ok(remembered);
    }
    return super.run<State, E, Refusal>(
      step,
      (state) => {
        const decision = decide(state);
        if (decision.ok && decision.value.length > 0) {
          const metadata = { ...step.metadata, v: 1 };
          const facts = decision.value.map((event) => ({ ...event, metadata }));
          const after = facts.reduce((folded, fact) => step.decider.evolve(folded, fact), state);
          this.#remembered.set(step.stream, { state: after, revision: 0n });
        }
        return decision;
      },
      known,
    );
  }
}

export const appendingBugs: readonly Bug[] = [
  {
    name: 'missing-expected-revision',
    does: 'an append after the first asserts no revision',
    breaks: [invariants.onePosting],
    parts: (_standard, { log }) => ({
      store: (life) => new AnyRevision(life, log, new VirtualTimer(life)),
    }),
  },
  {
    name: 'fresh-ids-on-retry',
    does: 'an append of unknown outcome is sent again with new ids, after whatever is there by then',
    breaks: [invariants.onePush, invariants.onePosting],
    parts: (_standard, { log }) => ({
      store: (life) => new FreshIdsAtTheHead(life, log, new VirtualTimer(life)),
    }),
  },
  {
    name: 'derived-ids',
    does: 'event ids follow from the reference, so that two racing requests both learn that they appended',
    breaks: [invariants.onePush],
    parts: (_standard, { log }) => ({
      store: (life) => new DerivedIds(life, log, new VirtualTimer(life)),
    }),
  },
  {
    name: 'trusted-memory',
    does: 'a state is remembered before its append is known to be durable, and "nothing to do" is concluded from it',
    breaks: [
      invariants.durableAcknowledgements,
      invariants.durableAnswers,
      invariants.batchKeepsItsRequest,
    ],
    parts: () => ({ pipeline: (store, ids) => new Trusting(store, ids) }),
  },
];
