import { setTimeout as sleep } from 'node:timers/promises';
import { type CollectionKey, collectionStream, type QueryOutcome } from '#collections';
import { DependencyUnavailable } from '#kernel';
import { backoffMs } from '#runtime';
import { sealEvidence } from '#signing';
import { Injectable } from '@nestjs/common';
import { CallbackKeys } from '../callback/callback-keys.js';
import { CollectionBus } from '../collection-bus.js';
import { CheckoutClaims } from '../inbox/checkout-claims.js';

/** An answer that settles something, about the collection's own rail reference. */
export interface QueriedAnswer {
  readonly key: CollectionKey;
  readonly railReference: string;
  readonly answer: Extract<QueryOutcome, { kind: 'paid' | 'declined' }>;
}

/** The rail's answer is in hand: it is worth outlasting a short absence of the event store. */
const mostTellings = 4;

/** Brings what the rail answered to its collection. */
@Injectable()
export class QueriedAnswers {
  constructor(
    private readonly collections: CollectionBus,
    private readonly claims: CheckoutClaims,
    private readonly keys: CallbackKeys,
  ) {}

  /**
   * @returns a word for whoever looks into the table of attempts; undefined where the answer could not be
   * recorded, so that the rail is to be asked once more
   */
  async tell(queried: QueriedAnswer): Promise<string | undefined> {
    for (let telling = 1; ; telling += 1) {
      try {
        return await this.tellOnce(queried);
      } catch (error) {
        if (!(error instanceof DependencyUnavailable)) throw error;
        if (telling === mostTellings) return undefined;
        await sleep(backoffMs(telling, 500, 4000));
      }
    }
  }

  private async tellOnce({ key, railReference, answer }: QueriedAnswer): Promise<string> {
    const { mode } = key;
    const use = { mode, checkoutId: railReference, stream: collectionStream(key) };
    if (answer.kind === 'paid' && !(await this.claims.claim(use))) return 'checkout_of_another';
    const { ids, keyring } = this.keys;
    const result = await this.collections.confirm(
      key,
      { by: 'query', railReference, verdict: answer },
      {
        correlationId: ids.next(),
        actor: { kind: 'rail', id: 'mpesa' },
        ...sealEvidence(keyring, { asked: railReference, answer }),
      },
    );
    return result.ok ? answer.kind : result.refusal;
  }
}
