import { assertNever, DependencyUnavailable, ok, type Timer } from '#domain/kernel';
import { type Done, type Folded, Pipeline, type Step } from '#domain/event-sourcing';
import { type Collection } from '../collection.js';
import { type PushAnswer } from '#domain/rails';
import { type CollectionEvent } from '../collection.events.js';
import { type UnsettledIntent, UnsettledIntents } from './unsettled-intents.js';
import { decideRecordPushOutcome } from './initiate-collection.decide.js';

export type CollectionStep = Step<Collection, CollectionEvent>;

export interface PushAnswersOptions {
  readonly pipeline: Pipeline;
  readonly timer: Timer;
  readonly onLost: (stream: string, error: unknown) => void;
}

/** Together about a minute, longer than a restart of the store. */
const maxAttempts = 12;
const firstPauseMs = 200;
const maxPauseMs = 10_000;

/**
 * Records the rail's answers to pushes, within the request or later. It also records that no push was sent, once that
 * is known. If an answer is lost (the process dies, the store stays unavailable), the collection stays `pending`. A
 * corroborated callback brings the same facts, and the push is never repeated.
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

  /** Records an answer that arrives after the request's response. */
  recordLater(step: CollectionStep, late: Promise<PushAnswer | undefined>): void {
    const recording = this.recordOnceAnswered(step, late)
      .catch((error: unknown) => {
        this.options.onLost(step.stream, error);
      })
      .finally(() => this.awaited.delete(recording));
    this.awaited.add(recording);
  }

  /** Finds out whether the intent is in the log; if it is, the collection failed, since no push was or will be sent. */
  recordIfNotSent(intent: UnsettledIntent): void {
    this.unsettled.settleLater(intent);
  }

  /** Resolves when no answer is awaited any more. The caller limits the wait. */
  async settled(): Promise<void> {
    await Promise.all([...this.awaited, this.unsettled.settled()]);
  }

  private async recordOnceAnswered(
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
        if (!(error instanceof DependencyUnavailable) || attempt === maxAttempts) throw error;
        await this.options.timer.sleep(this.pauseMs(attempt));
      }
    }
  }

  /** Doubles each time, less up to half at random, so that a recovering store is not overloaded. */
  private pauseMs(attempt: number): number {
    const full = Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1));
    return full * (1 - randomPart(this.options.pipeline.newId()) / 2);
  }
}

/**
 * Returns a random part from the last digit of a version 7 UUID.
 * @returns from 0 to 15 sixteenths
 */
function randomPart(uuid: string): number {
  return '0123456789abcdef'.indexOf(uuid.slice(-1)) / 16;
}
