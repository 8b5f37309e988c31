import { type Ids, type Result, refuse } from '#kernel';
import {
  type Appended,
  type EventRecord,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  WrongExpectedRevision,
} from './event-store.js';
import { type CommandMetadata, type EventMetadata } from './metadata.js';
import { type EventTypes } from './event-types.js';

/** How a subject's state follows from its events; `evolve` is a pure, exhaustive switch. */
export interface Decider<State, E extends EventRecord> {
  readonly types: EventTypes;
  readonly initial: State;
  evolve(state: State, event: E & { readonly metadata: EventMetadata }): State;
}

/** A state and the revision at which it held. */
export interface Folded<State> {
  readonly state: State;
  readonly revision: ExpectedRevision;
}

/** A decision that lost this many races in a row is a defect of its caller's traffic, not bad luck. */
const maxAttempts = 8;

export function fold<State, E extends EventRecord>(
  decider: Decider<State, E>,
  events: Iterable<E & { readonly metadata: EventMetadata }>,
  from: State = decider.initial,
): State {
  let state = from;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}

/** Reads a stream from the leader and folds it. */
export async function loadAndFold<State, E extends EventRecord>(
  store: EventStore,
  decider: Decider<State, E>,
  stream: string,
): Promise<Folded<State>> {
  const events = await store.readStream<E>(stream);
  return { state: fold(decider, events), revision: events.at(-1)?.revision ?? 'no_stream' };
}

/** One step of the pipeline: everything that `decideAndAppend` and `appendNew` need but the store. */
export interface Step<State, E extends EventRecord> {
  readonly decider: Decider<State, E>;
  readonly stream: string;
  readonly metadata: CommandMetadata;
  readonly ids: Ids;
}

/** The state after a step and where its events stand; `appended` is absent where there was nothing to write. */
export interface Done<State> extends Folded<State> {
  readonly appended?: Appended;
}

/**
 * Load → fold → decide → append. A lost race reloads and decides again, a bounded number of times.
 * @param known the state a caller already holds, which spares the first read
 * @throws WrongExpectedRevision after eight lost races; EventStoreUnavailable
 */
export async function decideAndAppend<State, E extends EventRecord, Refusal>(
  store: EventStore,
  step: Step<State, E>,
  decide: (state: State) => Result<readonly E[], Refusal>,
  known?: Folded<State>,
): Promise<Result<Done<State>, Refusal>> {
  let before = known ?? (await loadAndFold(store, step.decider, step.stream));
  for (let attempt = 1; ; attempt += 1) {
    const decision = decide(before.state);
    if (!decision.ok) return refuse(decision.refusal);
    if (decision.value.length === 0) return { ok: true, value: before };
    try {
      return { ok: true, value: await append(store, step, decision.value, before) };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision) || attempt === maxAttempts) throw error;
      before = await loadAndFold(store, step.decider, step.stream);
    }
  }
}

/**
 * The first append of a stream: asserts "no stream" and reads nothing. Only the caller that is told
 * `ok` wrote these events; `exists` says that another request was first.
 * @throws EventStoreUnavailable
 */
export async function appendNew<State, E extends EventRecord>(
  store: EventStore,
  step: Step<State, E>,
  events: readonly E[],
): Promise<Result<Done<State>, 'exists'>> {
  try {
    const before = { state: step.decider.initial, revision: 'no_stream' } as const;
    return { ok: true, value: await append(store, step, events, before) };
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return refuse('exists');
    throw error;
  }
}

async function append<State, E extends EventRecord>(
  store: EventStore,
  step: Step<State, E>,
  events: readonly E[],
  before: Folded<State>,
): Promise<Done<State>> {
  const newEvents = events.map((event) => toNewEvent(step, event));
  const appended = await store.append(step.stream, before.revision, newEvents);
  const state = fold(
    step.decider,
    newEvents.map(({ event, metadata }) => ({ ...event, metadata })),
    before.state,
  );
  return { state, revision: appended.revision, appended };
}

function toNewEvent<State, E extends EventRecord>(step: Step<State, E>, event: E): NewEvent<E> {
  const type = step.decider.types[event.type];
  if (!type) throw new TypeError(`event ${event.type} is missing from its subject's event types`);
  return {
    id: step.ids.next(),
    event,
    metadata: { ...step.metadata, v: type.version },
  };
}
