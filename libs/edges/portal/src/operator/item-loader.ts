import { Database } from '#infra/postgres';
import { listOwedDeliveries } from '#records/webhooks';
import { currentFees } from '#domain/collections';
import { Clock, isMode, ok } from '#domain/kernel';
import { MerchantDirectory } from '#domain/merchants';
import {
  type Case,
  Cases,
  type Item,
  itemOf,
  itemStream,
  itemTypes,
  nextActions,
  RailSchedule,
} from '#desk/operators';
import { Injectable } from '@nestjs/common';
import { ifAvailable } from '../page/if-available.js';
import { type ItemPage } from './item-page.js';
import { timelineOf } from './timeline.js';

/** Reads items with the fee schedule by which their money leaves suspense. */
@Injectable()
export class PricedCases {
  constructor(
    private readonly cases: Cases,
    private readonly merchants: MerchantDirectory,
  ) {}

  /**
   * The schedule is the one that the decision itself reads (FEE-1).
   * @throws DependencyUnavailable
   */
  async load(named: Parameters<Cases['load']>[0]): ReturnType<Cases['load']> {
    const found = await this.cases.load(named);
    if (!found.ok || found.value.type === 'payout') return found;
    const { state } = found.value;
    if (state.status !== 'in_suspense') return found;
    const fees = await ifAvailable(currentFees(state.intent, this.merchants));
    return ok({ ...found.value, fees });
  }
}

/** Reads collections and payouts for their pages. */
@Injectable()
export class ItemLoader {
  constructor(
    private readonly priced: PricedCases,
    private readonly database: Database,
    private readonly schedule: RailSchedule,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns undefined if there is no such item
   * @throws DependencyUnavailable
   */
  async load({ type, key }: Item): Promise<Case | undefined> {
    const { mode, merchantId: merchant, reference } = key;
    if (!itemTypes.includes(type) || !isMode(mode) || !isNamed({ type, key })) return undefined;
    const found = await this.priced.load({ reference, merchant, mode, type });
    return found.ok ? found.value : undefined;
  }

  /** @throws DependencyUnavailable */
  async page(found: Case): Promise<ItemPage> {
    const deliveries = await listOwedDeliveries(
      this.database,
      found.events.map(({ id }) => id),
    );
    return {
      found,
      next: nextActions(found, this.schedule),
      entries: timelineOf(found, deliveries),
      now: new Date(this.clock.nowMs()),
    };
  }
}

/**
 * True if the item's parts are read back from its stream's name. If they would name another item's stream, they name no
 * item.
 */
function isNamed(item: Item): boolean {
  const named = itemOf(itemStream(item));
  const { merchantId, reference } = item.key;
  return named?.key.merchantId === merchantId && named.key.reference === reference;
}
