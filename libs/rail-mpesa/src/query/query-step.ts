import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CollectionKey,
  collectionKeyOf,
  collectionStream,
  type QueryOutcome,
  type Rail,
} from '#collections';
import { DependencyUnavailable } from '#kernel';
import { concludeRailQueryAttempt, type Database, insertRailQueryAttempt } from '#postgres';
import { dueRailQueries, type OpenRailQuery } from '#read-models';
import { backoffMs } from '#runtime';
import { sealEvidence } from '#signing';
import { type CallbackKeys } from '../callback/callback-keys.js';
import { type CollectionBus } from '../collection-bus.js';
import { concurrently } from '../concurrently.js';
import { type CheckoutClaims } from '../inbox/checkout-claims.js';

export interface QueryStepOptions {
  readonly database: Database;
  readonly rail: Rail;
  readonly collections: CollectionBus;
  readonly claims: CheckoutClaims;
  readonly keys: CallbackKeys;
  /** RAIL_QUERY_DELAYS. */
  readonly delaysMs: readonly number[];
}

type Settling = Exclude<QueryOutcome, { kind: 'unresolved' }>;

const mostAtOnce = 64;
const mostInFlight = 8;
/** The rail's answer is in hand: it is worth outlasting a short absence of the event store. */
const mostTellings = 4;

/**
 * Asks the rail about the collections of which nothing was heard, each at RAIL_QUERY_DELAYS after its intent.
 * A question is recorded before it is asked: that is also the right to ask it, where several workers run.
 */
export class QueryStep {
  constructor(private readonly options: QueryStepOptions) {}

  /** @throws DependencyUnavailable where Postgres or the read model is away */
  async step(): Promise<'idle' | 'busy'> {
    const { database, delaysMs } = this.options;
    const due = await dueRailQueries(database, delaysMs, mostAtOnce);
    await concurrently(due, mostInFlight, (open) => this.ask(open));
    return due.length === mostAtOnce ? 'busy' : 'idle';
  }

  private async ask({ stream, railReference, asked }: OpenRailQuery): Promise<void> {
    const { database, rail } = this.options;
    const key = collectionKeyOf(stream);
    const attempt = { stream, attempt: asked + 1 };
    if (!key || !(await insertRailQueryAttempt(database, { ...attempt, outcome: 'asking' })))
      return;
    const answer = await rail.query(key.mode, railReference);
    const outcome =
      answer.kind === 'unresolved' ? answer.kind : await this.tell(key, railReference, answer);
    await concludeRailQueryAttempt(database, { ...attempt, outcome });
  }

  /** @returns a word for whoever looks into the table */
  private async tell(key: CollectionKey, railReference: string, answer: Settling): Promise<string> {
    for (let telling = 1; ; telling += 1) {
      try {
        return await this.tellOnce(key, railReference, answer);
      } catch (error) {
        if (!(error instanceof DependencyUnavailable)) throw error;
        if (telling === mostTellings) return `${answer.kind}_not_recorded`;
        await sleep(backoffMs(telling, 500, 4000));
      }
    }
  }

  private async tellOnce(
    key: CollectionKey,
    railReference: string,
    answer: Settling,
  ): Promise<string> {
    const { claims, collections, keys } = this.options;
    const use = { mode: key.mode, checkoutId: railReference, stream: collectionStream(key) };
    if (answer.kind === 'paid' && !(await claims.claim(use))) return 'checkout_of_another';
    const id = keys.ids.next();
    const result = await collections.confirm(
      key,
      { by: 'query', railReference, verdict: answer },
      {
        correlationId: id,
        actor: { kind: 'rail', id: 'mpesa' },
        ...sealEvidence(keys.keyring, { asked: railReference, answer }),
      },
    );
    return result.ok ? answer.kind : result.refusal;
  }
}
