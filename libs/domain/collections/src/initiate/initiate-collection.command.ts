import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DependencyUnavailable, ok, refuse, type Result } from '#domain/kernel';
import {
  type CommandMetadata,
  type Done,
  EventStoreUnavailable,
  Pipeline,
  type Position,
  type Step,
} from '#domain/event-sourcing';
import {
  type CollectionEvent,
  type CollectionIntentRecorded,
  collectionStream,
} from '../collection.events.js';
import {
  type Collection,
  collectionDecider,
  type CollectionView,
  type Intent,
  type RecordedCollection,
  viewOf,
} from '../collection.js';
import {
  accountReferenceFrom,
  type CollectionDetails,
  decideInitiateCollection,
  PhoneVault,
} from './initiate-collection.decide.js';
import { Rail } from '../rail.js';
import { PushAnswers } from './push-answers.js';

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

type CollectionStep = Step<Collection, CollectionEvent>;

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
