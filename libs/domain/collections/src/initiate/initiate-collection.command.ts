import { DependencyUnavailable, ok, refuse, type Result } from '#domain/kernel';
import { type PushRequest } from '#domain/rails';
import {
  type CommandMetadata,
  type Done,
  EventStoreUnavailable,
  Pipeline,
  type Position,
  traceIn,
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
import { type CollectionIntentRecorded, collectionStream } from '../collection.events.js';
import {
  accountReferenceFrom,
  type CollectionDetails,
  decideInitiateCollection,
  PhoneVault,
} from './initiate-collection.decide.js';
import { PromptPushes } from './prompt-pushes.js';
import { type CollectionStep, PushAnswers } from './push-answers.js';

/** `rail_rejected`: the intent is recorded and the collection is `failed`. */
export type InitiateRefusal = 'rail_rejected';

export interface Initiated {
  readonly view: CollectionView;
  /** The log position of the newest event in the view. */
  readonly position?: Position;
  /** The earlier intent, if the reference existed before this request. Nothing was pushed now. */
  readonly existing?: Intent;
}

/** True if the request recorded a new collection, even if the rail refused its push. */
export function isNewlyRecorded(result: Result<Initiated, InitiateRefusal>): boolean {
  return !result.ok || result.value.existing === undefined;
}

/**
 * Records the intent, pushes to the phone, and records the outcome. If the reference exists already, nothing is pushed
 * and the answer is its current state.
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
 * Append, push, append. Only the request whose own append of the intent succeeded pushes, and it pushes once, at once or
 * never (COL-31). An existing reference is answered from its stream.
 */
@CommandHandler(InitiateCollection)
export class InitiateCollectionHandler implements ICommandHandler<InitiateCollection> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly pushes: PromptPushes,
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
    const fromMs = this.pushes.nowMs();
    const accountReference = accountReferenceFrom(this.pipeline.newId());
    const traces = { ...this.phones.tracesOf(details.phone), accountReference };
    const recorded = await this.begin(step, decideInitiateCollection(details, traces));
    if (!recorded.ok) return ok(initiatedBefore(await this.pipeline.load(step)));
    const { phone } = details;
    return this.push({ ...step, fromMs }, { phone, accountReference }, recorded.value);
  }

  /** @throws EventStoreUnavailable if it is not known whether the intent is in the log; that is settled later */
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

  /** @param step its `fromMs` is a time before the intent was appended */
  private async push(
    { fromMs, ...step }: CollectionStep & { readonly fromMs: number },
    prompt: Pick<PushRequest, 'phone' | 'accountReference'>,
    recorded: Done<Collection>,
  ): Promise<Result<Initiated, InitiateRefusal>> {
    const { intent, traceparent } = intentOf(recorded.state);
    const outcome = await this.pushes.push(fromMs, {
      channel: intent.channel,
      mode: intent.mode,
      stream: step.stream,
      ...prompt,
      amountMinor: intent.amountMinor,
      ...traceIn({ traceparent }),
    });
    const answered = asRailReport(step, intent.channel, recorded.eventId);
    if (outcome.kind === 'unknown') {
      this.answers.recordLater(answered, outcome.late);
      return ok(initiated(recorded));
    }
    try {
      const known = await this.answers.record(answered, outcome, recorded);
      // A callback may have completed it meanwhile, so the refusal counts only while the collection is failed.
      const isRefused = outcome.kind === 'refused' && known.state.status === 'failed';
      return isRefused ? refuse('rail_rejected') : ok(initiated(known));
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
      // The intent is durable and the prompt may be on the phone, so the answer is "pending", not 503.
      this.answers.recordLater(answered, Promise.resolve(outcome));
      return ok(initiated(recorded));
    }
  }
}

/**
 * The rail reports the outcome of a push, and the intent is its cause. The merchant's evidence stays with the intent.
 */
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

/** The answer about an intent that this request recorded. */
export function initiated({ state, position }: Done<Collection>): Initiated {
  return { view: viewOf(state), ...(position === undefined ? {} : { position }) };
}

/** The answer about an earlier intent with the request's reference. */
export function initiatedBefore(loaded: Done<Collection>): Initiated {
  return { ...initiated(loaded), existing: intentOf(loaded.state).intent };
}
