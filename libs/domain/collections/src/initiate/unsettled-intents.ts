import { DependencyUnavailable, type Timer } from '#domain/kernel';
import { type Pipeline, type Step } from '#domain/event-sourcing';
import { type Collection } from '../collection.js';
import { type PushAnswer } from '#domain/rails';
import { type CollectionEvent } from '../collection.events.js';

/** An intent that may or may not be in the log: its append was not answered. */
export interface UnsettledIntent {
  readonly step: Step<Collection, CollectionEvent>;
  /** The intent's own id. This process made it, so only this process can recognise the intent in the log. */
  readonly eventId: string;
}

export interface UnsettledIntentsOptions {
  readonly pipeline: Pipeline;
  readonly timer: Timer;
  readonly record: (
    step: UnsettledIntent['step'],
    answer: Extract<PushAnswer, { kind: 'refused' }>,
  ) => Promise<unknown>;
  readonly onLost: (stream: string, error: unknown) => void;
}

interface Waiting extends UnsettledIntent {
  /** The time that remains for an abandoned append to reach the log. */
  landingMs: number;
  leftMs: number;
}

/** No caller waits for these. Without a limit, an outage would use ever more memory. */
const maxWaiting = 10_000;
const maxAtOnce = 8;
const firstPauseMs = 500;
/** Short, because a process that drains has only seconds. */
const maxPauseMs = 2000;
/**
 * Counts down only while the log answers and has no such stream. It is far longer than the store's own deadline for an
 * append.
 */
const landingMs = 60_000;
const maxMs = 30 * 60_000;

/**
 * Finds out whether intents whose append was not answered are in the log. Their callers got 503 and nothing was pushed.
 * Nothing will be: only the request whose own append succeeded may push. So an intent that is in the log is recorded as
 * failed (`not_sent`), instead of staying pending until a review.
 *
 * If the process dies before it knows, the collection stays pending with an unknown push, and is listed for review like
 * any other without a report.
 */
export class UnsettledIntents {
  private readonly waiting = new Map<string, Waiting>();
  private asking: Promise<void> | undefined;

  constructor(private readonly options: UnsettledIntentsOptions) {}

  settleLater({ step, eventId }: UnsettledIntent): void {
    if (this.waiting.size >= maxWaiting) {
      this.options.onLost(step.stream, new Error('too many intents wait'));
      return;
    }
    this.waiting.set(eventId, { step, eventId, landingMs, leftMs: maxMs });
    this.asking ??= this.askUntilKnown().finally(() => {
      this.asking = undefined;
    });
  }

  /** Resolves when all intents are settled. The caller limits the wait. */
  async settled(): Promise<void> {
    await this.asking;
  }

  private async askUntilKnown(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (this.waiting.size > 0) {
      // An immediate try would mostly meet the server that has just failed to answer.
      await this.options.timer.sleep(pauseMs);
      await this.look(pauseMs);
      pauseMs = Math.min(maxPauseMs, 2 * pauseMs);
    }
  }

  /** Checks all waiting intents; stops if the store does not answer. */
  private async look(pausedMs: number): Promise<void> {
    const all = [...this.waiting.values()];
    for (const intent of all) intent.leftMs -= pausedMs;
    for (let from = 0; from < all.length; from += maxAtOnce) {
      const some = all.slice(from, from + maxAtOnce);
      const looks = await Promise.all(some.map((intent) => this.settle(intent, pausedMs)));
      if (looks.includes('away')) break;
    }
    for (const { eventId, step, leftMs } of all)
      if (leftMs <= 0 && this.waiting.delete(eventId))
        this.options.onLost(step.stream, new Error('the event store was away for too long'));
  }

  private async settle(intent: Waiting, pausedMs: number): Promise<'looked' | 'away'> {
    const { step, eventId } = intent;
    const { pipeline, record, onLost } = this.options;
    try {
      const first = await pipeline.firstEventId(step.stream);
      if (first === eventId)
        await record(bySystem(intent), { kind: 'refused', failureCode: 'not_sent' });
      else if (first === undefined) {
        intent.landingMs -= pausedMs;
        if (intent.landingMs > 0) return 'looked';
      }
      this.waiting.delete(eventId);
    } catch (error) {
      if (error instanceof DependencyUnavailable) return 'away';
      this.waiting.delete(eventId);
      onLost(step.stream, error);
    }
    return 'looked';
  }
}

/** The service itself is the actor, and the intent the cause. */
function bySystem({ step, eventId }: UnsettledIntent): UnsettledIntent['step'] {
  const { correlationId } = step.metadata;
  const actor = { kind: 'system', id: 'api' } as const;
  return { ...step, metadata: { correlationId, causationId: eventId, actor } };
}
