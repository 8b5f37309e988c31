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
  /** What the query before came to; absent where there was none. */
  readonly previous: string | undefined;
}

/** The rail's answer is known: it is worth outlasting a short absence of the event store. */
const maxTellings = 4;

/** Brings what the rail answered to its collection. */
@Injectable()
export class QueriedAnswers {
  constructor(
    private readonly collections: CollectionsClient,
    private readonly claims: RailReferenceClaims,
    private readonly questions: RailQuestions,
    private readonly backoff: Backoff,
  ) {}

  /**
   * @returns a short code for people who read the table of attempts; undefined where the answer could not be
   * recorded, so that the rail is to be asked once more
   */
  async tell(queried: QueriedAnswer): Promise<string | undefined> {
    let metadata: CommandMetadata | undefined;
    for (let telling = 1; ; telling += 1) {
      try {
        metadata ??= await this.questions.keep({
          ...queried,
          stream: collectionStream(queried.key),
        });
        return await this.tellOnce(queried, metadata);
      } catch (error) {
        if (!(error instanceof DependencyUnavailable)) throw error;
        if (telling === maxTellings) return undefined;
        await this.backoff.pause(telling, 500, 4000);
      }
    }
  }

  private async tellOnce(
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
