import {
  assertNever,
  DependencyUnavailable,
  ok,
  refuse,
  type Result,
  type Timer,
} from '#domain/kernel';
import {
  type CommandMetadata,
  type Done,
  EventStoreUnavailable,
  type Folded,
  Pipeline,
  type Position,
  type Step,
} from '#domain/event-sourcing';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  type Collection,
  collectionDecider,
  type CollectionView,
  type Intent,
  type RecordedCollection,
  viewOf,
} from '../collection.js';
import {
  type CollectionEvent,
  type CollectionIntentRecorded,
  collectionStream,
} from '../collection.events.js';
import { type UnsettledIntent, UnsettledIntents } from './unsettled-intents.js';
import { type PushAnswer, Rail } from '../rail.js';
import {
  accountReferenceFrom,
  type CollectionDetails,
  decideInitiateCollection,
  decideRecordPushOutcome,
  PhoneVault,
} from './initiate-collection.decide.js';

type CollectionStep = Step<Collection, CollectionEvent>;

export interface PushAnswersOptions {
  readonly pipeline: Pipeline;
  readonly timer: Timer;
  readonly onLost: (stream: string, error: unknown) => void;
}

/** Tries and the pauses between them together outlast a restart of the store: about a minute. */
const attempts = 12;
const firstPauseMs = 200;
const maxPauseMs = 10_000;

/**
 * Records answers to pushes: in the request where they come in time, afterwards where they come late; and that no push
 * was sent, where that is found out.
 * What is lost here (the process dies, the store stays away) leaves the collection `pending`: a corroborated
 * callback tells the same, and the push is never sent again.
 */
export class PushAnswers {
  private readonly awaited = new Set<Promise<void>>();

  private readonly unsettled: UnsettledIntents;

  constructor(private readonly options: PushAnswersOptions) {
    const { pipeline, timer, onLost } = options;
    const record: PushAnswers['record'] = (step, answer) => this.record(step, answer);
    this.unsettled = new UnsettledIntents({ pipeline, timer, record, onLost });
  }

  /** @throws EventStoreUnavailable */
  async record(
    step: CollectionStep,
    answer: PushAnswer,
    known?: Folded<Collection>,
  ): Promise<Done<Collection>> {
    const { pipeline } = this.options;
    const decide = (state: Collection) => ok(decideRecordPushOutcome(answer, state));
    const proved = { ...step, metadata: { ...step.metadata, ...answer.proof } };
    const done = await pipeline.run<Collection, CollectionEvent, never>(proved, decide, known);
    return done.ok ? done.value : assertNever(done.refusal);
  }

  /** Takes over an answer that the request no longer waits for. */
  recordLater(step: CollectionStep, late: Promise<PushAnswer | undefined>): void {
    const recording = this.recordWhenThere(step, late)
      .catch((error: unknown) => {
        this.options.onLost(step.stream, error);
      })
      .finally(() => this.awaited.delete(recording));
    this.awaited.add(recording);
  }

  /** Where the intent turns out to be in the log, it has failed: no push was sent for it, and none will be. */
  recordIfNotSent(intent: UnsettledIntent): void {
    this.unsettled.settleLater(intent);
  }

  /** Resolves when nothing is awaited any more; the process bounds how long it listens. */
  async settled(): Promise<void> {
    await Promise.all([...this.awaited, this.unsettled.settled()]);
  }

  private async recordWhenThere(
    step: CollectionStep,
    late: Promise<PushAnswer | undefined>,
  ): Promise<void> {
    const answer = await late;
    if (!answer) return;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.record(step, answer);
        return;
      } catch (error) {
        if (!(error instanceof DependencyUnavailable) || attempt === attempts) throw error;
        await this.options.timer.sleep(this.pauseMs(attempt));
      }
    }
  }

  /** Doubled each time, less up to half at random: a store that recovers is not overloaded. */
  private pauseMs(attempt: number): number {
    const full = Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1));
    return full * (1 - randomPart(this.options.pipeline.newId()) / 2);
  }
}

/** The last digit of a version 7 UUID is random. @returns from 0 to 15 sixteenths */
function randomPart(uuid: string): number {
  return '0123456789abcdef'.indexOf(uuid.slice(-1)) / 16;
}

/** `rail_rejected`: the intent stands recorded and the collection is `failed`. */
export type InitiateRefusal = 'rail_rejected';

export interface Initiated {
  readonly view: CollectionView;
  /** Where the newest event that the view speaks of stands in the log. */
  readonly position?: Position;
  /** Present where the reference existed before this request: what was asked for then. Nothing was pushed now. */
  readonly existing?: Intent;
}

/** Whether the request recorded a new collection. One whose push the rail refused is recorded, too. */
export function isNewlyRecorded(result: Result<Initiated, InitiateRefusal>): boolean {
  return !result.ok || result.value.existing === undefined;
}

/**
 * Records the intent, pushes to the phone, records the outcome. Where the reference exists already,
 * nothing is pushed and the current state is the answer.
 */
export class InitiateCollection extends Command<Result<Initiated, InitiateRefusal>> {
  constructor(
    readonly details: CollectionDetails,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

/**
 * Append, push, append. Only the request whose own intent append succeeded pushes, and it pushes once;
 * a reference that exists is answered from its stream.
 */
@CommandHandler(InitiateCollection)
export class InitiateCollectionHandler implements ICommandHandler<InitiateCollection> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly rail: Rail,
    private readonly phones: PhoneVault,
    private readonly answers: PushAnswers,
  ) {}

  async execute({
    details,
    metadata,
  }: InitiateCollection): Promise<Result<Initiated, InitiateRefusal>> {
    const { merchantId, mode } = details.account;
    const stream = collectionStream({ mode, merchantId, reference: details.reference });
    const step: CollectionStep = { decider: collectionDecider, stream, metadata };
    const recorded = await this.begin(step, this.decide(details));
    if (!recorded.ok) {
      const loaded = await this.pipeline.load(step);
      return ok({ ...initiated(loaded), existing: intentOf(loaded.state).intent });
    }

    return this.push(step, details.phone, recorded.value);
  }

  /** @throws EventStoreUnavailable; whether the intent is in the log is then found out later */
  private async begin(
    step: CollectionStep,
    intent: readonly [CollectionIntentRecorded],
  ): Promise<Result<Done<Collection>, 'exists'>> {
    const eventId = this.pipeline.newId();
    try {
      return await this.pipeline.begin(step, intent, eventId);
    } catch (error) {
      if (error instanceof EventStoreUnavailable) this.answers.recordIfNotSent({ step, eventId });
      throw error;
    }
  }

  private decide(details: CollectionDetails): readonly [CollectionIntentRecorded] {
    return decideInitiateCollection(details, {
      ...this.phones.tracesOf(details.phone),
      accountReference: accountReferenceFrom(this.pipeline.newId()),
    });
  }

  private async push(
    step: CollectionStep,
    phone: string,
    recorded: Done<Collection>,
  ): Promise<Result<Initiated, InitiateRefusal>> {
    const { intent } = intentOf(recorded.state);
    const outcome = await this.rail.push({
      channel: intent.channel,
      mode: intent.mode,
      stream: step.stream,
      phone,
      amountMinor: intent.amountMinor,
      accountReference: intent.accountReference,
    });
    const answered = asRailReport(step, intent.channel, recorded.eventId);
    if (outcome.kind === 'unknown') {
      this.answers.recordLater(answered, outcome.late);
      return ok(initiated(recorded));
    }
    try {
      const known = await this.answers.record(answered, outcome, recorded);
      // A report that came first may have settled it already: only what stands as failed is told as refused.
      const isRefused = outcome.kind === 'refused' && known.state.status === 'failed';
      return isRefused ? refuse('rail_rejected') : ok(initiated(known));
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
      // The prompt may be on the phone and the intent is durable: "pending" is the truth, 503 would not be.
      this.answers.recordLater(answered, Promise.resolve(outcome));
      return ok(initiated(recorded));
    }
  }
}

/** The outcome of a push is the rail's report, caused by the intent; the merchant's evidence stands with the intent. */
function asRailReport(
  { metadata: { correlationId }, ...step }: CollectionStep,
  rail: string,
  intentId: string | undefined,
): CollectionStep {
  const actor = { kind: 'rail', id: rail } as const;
  const causationId = intentId === undefined ? {} : { causationId: intentId };
  return { ...step, metadata: { correlationId, actor, ...causationId } };
}

function intentOf(state: Collection): RecordedCollection {
  if (state.status === 'none') throw new TypeError('an intent that was just recorded is missing');
  return state;
}

function initiated({ state, position }: Done<Collection>): Initiated {
  return { view: viewOf(state), ...(position === undefined ? {} : { position }) };
}
