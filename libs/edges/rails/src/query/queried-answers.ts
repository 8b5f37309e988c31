import { type CollectionKey, collectionStream } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { Injectable } from '@nestjs/common';
import { Backoff } from '../rail-work-options.js';
import { CollectionsClient } from '../collections-client.js';
import { RailReferenceClaims } from '../inbox/rail-reference-claims.js';
import {
  isRepeated,
  outcomeOf,
  RailQuestions,
  type SettlingAnswer,
  verdictOf,
} from './rail-questions.js';

/** An answer that settles something, about the collection's own rail reference. */
export interface QueriedAnswer {
  readonly key: CollectionKey;
  readonly channel: string;
  readonly railReference: string;
  readonly answer: SettlingAnswer;
  /** The outcome of the query before; undefined if there was none. */
  readonly previous: string | undefined;
}

/** The rail's answer is known already, so a short outage of the event store is waited out. */
const maxAttempts = 4;

/** Reports the rail's answers to their collections. */
@Injectable()
export class QueriedAnswers {
  constructor(
    private readonly collections: CollectionsClient,
    private readonly claims: RailReferenceClaims,
    private readonly questions: RailQuestions,
    private readonly backoff: Backoff,
  ) {}

  /**
   * @returns the outcome's code for the table of attempts; undefined if the answer could not be recorded, so that the
   *   rail must be queried again
   */
  async report(queried: QueriedAnswer): Promise<string | undefined> {
    let metadata: CommandMetadata | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        metadata ??= await this.questions.keep({
          ...queried,
          stream: collectionStream(queried.key),
        });
        return await this.reportOnce(queried, metadata);
      } catch (error) {
        if (!(error instanceof DependencyUnavailable)) throw error;
        if (attempt === maxAttempts) return undefined;
        await this.backoff.pause(attempt, 500, 4000);
      }
    }
  }

  private async reportOnce(
    { key, channel, railReference, answer, previous }: QueriedAnswer,
    metadata: CommandMetadata,
  ): Promise<string | undefined> {
    const { mode } = key;
    const use = { channel, mode, railReference, stream: collectionStream(key) };
    if (answer.kind === 'paid') {
      const claim = await this.claims.claimOwn(use, (other) => this.collections.hasMoney(other));
      if (claim.kind === 'held') return undefined;
      if (claim.kind === 'shared') {
        await this.collections.flagShared([use.stream, ...claim.streams], metadata);
        return 'checkout_of_another';
      }
    }
    const repeated = isRepeated(answer, previous);
    const report = { by: 'query', railReference, repeated, verdict: verdictOf(answer) } as const;
    const result = await this.collections.confirm(key, report, metadata);
    return result.ok ? outcomeOf(answer) : result.refusal;
  }
}
