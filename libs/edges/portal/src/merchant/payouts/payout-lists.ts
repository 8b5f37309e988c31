import { clockOf } from '../../page/clock-of.js';
import { Clock, concurrently } from '#domain/kernel';
import { type PayoutRequest } from '#domain/payouts';
import { permits } from '#domain/people';
import { isSameOperator } from '#domain/reviews';
import { ReadDatabase } from '#infra/postgres';
import { type Balance, findBalance } from '#views/balances';
import { type Description } from '#records/people';
import { listUnsettledPayouts, type UnsettledPayout } from '#views/payouts';
import { listTransactions } from '#views/transactions';
import { Injectable } from '@nestjs/common';
import { type Viewer } from '../../access/viewer.js';
import { ifAvailable } from '../../page/if-available.js';
import { moneyText } from '../../page/parts.js';
import { Colleagues, personName } from '../colleagues.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { merchantTexts } from '../texts-of.js';
import { MerchantPagesOptions } from '../options.js';
import { type Place } from '../place.js';
import { numberShown } from './decide-page.js';
import { type PayoutsModel } from './payouts-page.js';
import { PortalPayouts } from './portal-payouts.js';
import { type WaitingFacts } from './waiting-list.js';

/** Most payouts in each list; the list of transactions has all of them. */
const maxShown = 50;
/** Waiting payouts whose own events the list reads; the others are decided on their own pages. */
const maxFacts = 20;
/** Most accounts whose balances a page names. */
const maxBalances = 5;
const readsAtOnce = 8;

/** Reads the facts about waiting payouts, from their own events. */
@Injectable()
export class WaitingPayoutFacts {
  constructor(
    private readonly payouts: PortalPayouts,
    private readonly people: Colleagues,
  ) {}

  /**
   * The receiver and requester of the first waiting payouts, by their references.
   * @throws DependencyUnavailable
   */
  async of(
    waiting: readonly UnsettledPayout[],
    viewer: Viewer,
    place: Place,
  ): Promise<ReadonlyMap<string, WaitingFacts>> {
    const single = waiting.filter(({ batch }) => batch === null).slice(0, maxFacts);
    const requests: PayoutRequest[] = [];
    await concurrently(single, readsAtOnce, async ({ reference }) => {
      const { state } = await this.payouts.find(place, reference);
      if (state.status !== 'none') requests.push(state.request);
    });
    const holders = requests.map(({ holder }) => holder);
    const names = await this.people.called(place.merchantId, holders);
    const own = await this.payouts.forms.holderOf(viewer, place);
    return new Map(
      requests.map(({ reference, phoneMasked, feeMinor, holder, refund }) => [
        reference,
        {
          to: numberShown(phoneMasked, undefined, merchantTexts(viewer)),
          feeMinor,
          by: personName(holder, names),
          refundOf: refund?.reference,
          isOwn: isSameOperator(own, holder),
        },
      ]),
    );
  }
}

/** Reads what the page of payouts shows. A part that cannot be read at the moment is undefined. */
@Injectable()
export class PayoutLists {
  constructor(
    private readonly database: ReadDatabase,
    private readonly facts: WaitingPayoutFacts,
    private readonly options: MerchantPagesOptions,
    private readonly clock: Clock,
  ) {}

  async of(place: Place, viewer: Viewer): Promise<PayoutsModel> {
    const { merchantId, mode } = place;
    const whose = { merchantId, mode, limit: maxShown };
    const page = { ...whose, type: 'payout', dateField: 'created_at' } as const;
    const latest = await ifAvailable(listTransactions(this.database, page, this.bound));
    const waiting = await ifAvailable(
      listUnsettledPayouts(this.database, { ...whose, status: 'pending_approval' }),
    );
    const facts = await ifAvailable(this.facts.of(waiting ?? [], viewer, place));
    return {
      place,
      waiting,
      // Those that wait are above the list.
      latest: latest?.items.filter(({ status }) => status !== 'pending_approval'),
      balances: await this.balancesOf(place),
      facts: facts ?? new Map(),
      mayAsk: permits(viewer.roles, 'payouts.request', merchantId),
      mayDecide: permits(viewer.roles, 'payouts.approve', merchantId),
      mayCancel: permits(viewer.roles, 'payouts.cancel', merchantId),
      clock: clockOf(place, viewer, this.clock.nowMs()),
    };
  }

  balanceOf({ merchantId, mode }: Place, accountNo: string): Promise<Balance | undefined> {
    return ifAvailable(findBalance(this.database, { merchantId, mode, accountNo }, this.bound));
  }

  /** The balances of the first accounts that can be read at the moment. */
  async balancesOf(place: Place): Promise<readonly Balance[]> {
    const balances: Balance[] = [];
    for (const { accountNo } of place.accounts.slice(0, maxBalances)) {
      const balance = await this.balanceOf(place, accountNo);
      if (balance) balances.push(balance);
    }
    return balances;
  }

  private get bound(): { readonly maxAgeMs: number } {
    return { maxAgeMs: this.options.readModelMaxAgeMs };
  }
}

/**
 * The balance after an approval, for the page that confirms it. The money of a payout is reserved when it is requested,
 * so an approval leaves what is available now (POR-104).
 */
export function balanceAfter(
  balance: Balance | undefined,
  { payouts: words }: MerchantTexts,
): Pick<Description, 'unbound'> {
  if (!balance) return {};
  return { unbound: [[words.after, moneyText(balance.availableMinor, balance.currency)]] };
}
