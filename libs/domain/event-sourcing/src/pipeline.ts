import { type Ids, ok, refuse, type Result } from '#domain/kernel';
import {
  type Appended,
  type EventRecord,
  type EventStore,
  type NewEvent,
  type Position,
  type RecordedEvent,
  WrongExpectedRevision,
} from './event-store.js';
import { type Folded, RecentStates } from './recent-states.js';
import { type CommandMetadata, type EventMetadata, type EventTypes } from './stored-event.js';

/** The rules by which a subject's state follows from its events. `evolve` is a pure, exhaustive switch. */
export interface Decider<State, E extends EventRecord> {
  readonly types: EventTypes;
  readonly initial: State;
  evolve(state: State, event: E & { readonly metadata: EventMetadata }): State;
  /** The trace that later events of the stream continue, unless their command has its own. */
  traceOf?(state: State): string | undefined;
}

/** A stream as the leader has it: its events, oldest first, and the state folded from them. */
export interface Loaded<State, E extends EventRecord> extends Folded<State> {
  /** The last event's position. */
  readonly position?: Position;
  readonly events: readonly RecordedEvent<E>[];
}

/**
 * The state after a step, and the position of its last event. `appended` and `eventId`, the last new event's, are
 * absent if there was nothing to append.
 */
export interface Done<State> extends Folded<State> {
  readonly position?: Position;
  readonly appended?: Appended;
  readonly eventId?: string;
}

/** A decision to take on a stream. The metadata names the actor and the reason. */
export interface Step<State, E extends EventRecord> {
  readonly decider: Decider<State, E>;
  readonly stream: string;
  readonly metadata: CommandMetadata;
}

/** A fact to append to a stream. The metadata names the actor and the reason. */
export interface Note {
  readonly types: EventTypes;
  readonly stream: string;
  readonly metadata: CommandMetadata;
}

/** So many lost races in a row are no coincidence: too many writers share the stream. */
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

/** The only way to append events: load → fold → decide → append. */
export class Pipeline {
  private readonly recent = new RecentStates();

  constructor(
    private readonly store: EventStore,
    private readonly ids: Ids,
  ) {}

  /** A new random id. */
  newId(): string {
    return this.ids.next();
  }

  /** Reads a stream from the leader and folds it. */
  async load<State, E extends EventRecord>({
    decider,
    stream,
  }: Pick<Step<State, E>, 'decider' | 'stream'>): Promise<Loaded<State, E>> {
    const events = await this.store.readStream<E>(stream);
    const state = fold(decider, events);
    const last = events.at(-1);
    if (!last) return { state, revision: 'no_stream', events };
    return { state, revision: last.revision, position: last.position, events };
  }

  /**
   * Returns the current state of a stream that only grows. Reads the events after those in the known state.
   * @throws EventStoreUnavailable
   */
  async follow<State, E extends EventRecord>(
    { decider, stream }: Pick<Step<State, E>, 'decider' | 'stream'>,
    known: Folded<State> | undefined,
  ): Promise<Folded<State>> {
    const { state, revision } = known ?? { state: decider.initial, revision: 'no_stream' };
    const next = revision === 'no_stream' ? undefined : revision + 1n;
    const events = await this.store.readStream<E>(stream, next);
    return { state: fold(decider, events, state), revision: events.at(-1)?.revision ?? revision };
  }

  /**
   * Returns the state after this process's last append, if it is still remembered. It may be stale, so only an append
   * that asserts its revision may rely on it.
   */
  recall<State, E extends EventRecord>({
    stream,
  }: Pick<Step<State, E>, 'decider' | 'stream'>): Folded<State> | undefined {
    return this.recent.recall<State>(stream);
  }

  /**
   * Returns the id of a stream's first event, from the leader; undefined if there is no such stream.
   * @throws EventStoreUnavailable
   */
  async firstEventId(stream: string): Promise<string | undefined> {
    return (await this.store.readStream(stream, 0n, 1))[0]?.id;
  }

  /**
   * Makes the first append of a stream: asserts "no stream" and reads nothing. `ok`: this caller wrote the events.
   * `exists`: another request was first.
   * @param firstEventId lets a caller recognise the first event if the outcome stays unknown (`newId`)
   * @throws EventStoreUnavailable
   */
  async begin<State, E extends EventRecord>(
    step: Step<State, E>,
    events: readonly E[],
    firstEventId: string = this.newId(),
  ): Promise<Result<Done<State>, 'exists'>> {
    try {
      const nothing = { state: step.decider.initial, revision: 'no_stream' } as const;
      return ok(await this.append(step, events, nothing, firstEventId));
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return refuse('exists');
      throw error;
    }
  }

  /**
   * Decides on the stream's state and appends. After a lost race it reloads and decides again, a bounded number of times.
   * A remembered state saves the first read, but only an append may rely on it, since that asserts its revision. Before
   * "nothing to do" or a refusal is returned, the log is read.
   * @param known the state that the caller already has
   * @throws WrongExpectedRevision after eight lost races; EventStoreUnavailable
   */
  async run<State, E extends EventRecord, Refusal>(
    step: Step<State, E>,
    decide: (state: State) => Result<readonly E[], Refusal>,
    known?: Folded<State>,
  ): Promise<Result<Done<State>, Refusal>> {
    const remembered = known ?? this.recent.recall<State>(step.stream);
    let isRead = remembered === undefined;
    let before: Done<State> = remembered ?? (await this.load(step));
    for (let attempt = 1; ; attempt += 1) {
      const decision = decide(before.state);
      if (!decision.ok || decision.value.length === 0) {
        if (isRead) return decision.ok ? ok(before) : decision;
        before = await this.load(step);
        isRead = true;
        continue;
      }
      try {
        return ok(await this.append(step, decision.value, before));
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || attempt === maxAttempts) throw error;
        before = await this.load(step);
        isRead = true;
      }
    }
  }

  /**
   * Appends events that were decided on this state and on other data, such as a claim that names its revision. After a
   * lost race it decides nothing again. Without events it does nothing.
   * @param before as `load` returned it
   * @returns `moved`: another event came first, and nothing was written
   * @throws EventStoreUnavailable
   */
  async appendTo<State, E extends EventRecord>(
    step: Step<State, E>,
    before: Folded<State>,
    events: readonly E[],
  ): Promise<Result<Done<State>, 'moved'>> {
    if (events.length === 0) return ok(before);
    try {
      return ok(await this.append(step, events, before));
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return refuse('moved');
      throw error;
    }
  }

  /**
   * Appends a fact that does not depend on its stream's history, so it reads only the last event. After a lost race it
   * reads that again, a bounded number of times.
   * @returns the event's id
   * @throws WrongExpectedRevision after eight lost races; EventStoreUnavailable
   */
  async note({ types, stream, metadata }: Note, event: EventRecord): Promise<string> {
    const noted = newEvent(types, metadata, event, this.newId());
    for (let attempt = 1; ; attempt += 1) {
      const last = await this.store.readLast(stream);
      try {
        await this.store.append(stream, last?.revision ?? 'no_stream', [noted]);
        return noted.id;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevision) || attempt === maxAttempts) throw error;
      }
    }
  }

  private async append<State, E extends EventRecord>(
    step: Step<State, E>,
    events: readonly E[],
    before: Folded<State>,
    firstEventId = this.newId(),
  ): Promise<Done<State>> {
    const { types } = step.decider;
    const metadata = traced(step, before.state);
    const newEvents = events.map((event, index) =>
      newEvent(types, metadata, event, index === 0 ? firstEventId : this.newId()),
    );
    // The remembered state is stale whatever the append's outcome. After an unknown outcome only the log knows.
    this.recent.forget(step.stream);
    const appended = await this.store.append(step.stream, before.revision, newEvents);
    const facts = newEvents.map(({ event, metadata: noted }) => ({ ...event, metadata: noted }));
    const { revision } = appended;
    const folded = { state: fold(step.decider, facts, before.state), revision };
    this.recent.remember(step.stream, folded);
    const eventId = newEvents.at(-1)?.id;
    const { position } = appended;
    return { ...folded, position, appended, ...(eventId === undefined ? {} : { eventId }) };
  }
}

/** A callback or a query knows only its stream, so its events continue the trace of the stream's request. */
function traced<State, E extends EventRecord>(
  { decider, metadata }: Step<State, E>,
  state: State,
): CommandMetadata {
  if (metadata.traceparent !== undefined) return metadata;
  const traceparent = decider.traceOf?.(state);
  return traceparent === undefined ? metadata : { ...metadata, traceparent };
}

function newEvent<E extends EventRecord>(
  types: EventTypes,
  metadata: CommandMetadata,
  event: E,
  id: string,
): NewEvent<E> {
  const type = types[event.type];
  if (!type) throw new TypeError(`event ${event.type} is missing from its subject's event types`);
  return { id, event, metadata: { ...metadata, v: type.version } };
}
