import { type EventStore, fold } from '#domain/event-sourcing';
import {
  type HolderBound,
  merchantDecider,
  type MerchantEvent,
  merchantStream,
} from '#domain/merchants';
import { type Person, personId } from './person.js';

/**
 * Maps people to the holders of a merchant's credentials (PEO-8), so that no person may request by API and approve in
 * the portal.
 */
export abstract class HolderDirectory {
  /**
   * Returns the holder of credentials that the person is bound to at this merchant, else the person's own id. It
   * becomes the `holder` of the person's requests and decisions there.
   * @throws DependencyUnavailable
   */
  abstract holderOf(person: Person, merchantId: string): Promise<string>;
}

/** Reads the merchant's own stream each time, because a few people decide a few times a day. */
export class HoldersInLog extends HolderDirectory {
  constructor(private readonly store: EventStore) {
    super();
  }

  override async holderOf(person: Person, merchantId: string): Promise<string> {
    const id = personId(person);
    const bound = (await this.holdersOf(merchantId)).find(
      (binding) => 'person' in binding && binding.person === id,
    );
    return bound?.holder ?? id;
  }

  /**
   * Returns all bound holders of the merchant.
   * @throws DependencyUnavailable
   */
  async holdersOf(merchantId: string): Promise<readonly HolderBound['data'][]> {
    const events = await this.store.readStream<MerchantEvent>(merchantStream(merchantId));
    const merchant = fold(merchantDecider, events);
    return merchant.kind === 'none' ? [] : merchant.holders;
  }
}
