import { type EventStore, fold } from '#domain/event-sourcing';
import {
  type HolderBound,
  merchantDecider,
  type MerchantEvent,
  merchantStream,
} from '#domain/merchants';
import { type Person, personId } from './person.js';

/**
 * Under which name a person asks and decides at a merchant (PEO-8): nobody may ask by API and approve in the portal.
 */
export abstract class HolderDirectory {
  /**
   * The holder of credentials that the person is in this merchant, else the person's own id: what stands as `holder`
   * in what the person asks for or decides there.
   * @throws DependencyUnavailable
   */
  abstract holderOf(person: Person, merchantId: string): Promise<string>;
}

/** As the merchant's own stream has it, read again each time: a few people decide a few times a day. */
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

  /** All of the merchant's that are bound. @throws DependencyUnavailable */
  async holdersOf(merchantId: string): Promise<readonly HolderBound['data'][]> {
    const events = await this.store.readStream<MerchantEvent>(merchantStream(merchantId));
    const merchant = fold(merchantDecider, events);
    return merchant.kind === 'none' ? [] : merchant.holders;
  }
}
