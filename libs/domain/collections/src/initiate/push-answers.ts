import { DependencyUnavailable, assertNever, ok, type Timer } from '#domain/kernel';
import { type Done, type Folded, type Pipeline, type Step } from '#domain/event-sourcing';
import { type Collection } from '../collection.js';
import { type CollectionEvent } from '../collection.events.js';
import { type UnsettledIntent, UnsettledIntents } from './unsettled-intents.js';
import { type PushAnswer } from '../rail.js';
import { decideRecordPushOutcome } from './initiate-collection.decide.js';

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
    const done = await pipeline.run<Collection, CollectionEvent, never>(step, decide, known);
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

  /** Doubled each time, of which a random half is taken off: the store that is back is not stormed. */
  private pauseMs(attempt: number): number {
    const full = Math.min(maxPauseMs, firstPauseMs * 2 ** (attempt - 1));
    return full * (1 - randomPart(this.options.pipeline.newId()) / 2);
  }
}

/** The last digit of a version 7 UUID is random. @returns from 0 to 15 sixteenths */
function randomPart(uuid: string): number {
  return '0123456789abcdef'.indexOf(uuid.slice(-1)) / 16;
}
