import { permits } from '#domain/people';
import { html, type Html } from '#shared/html';
import { type TransactionItem } from '#views/transactions';
import { type Viewer } from '../../access/viewer.js';
import { money, statusMark, type StatusKind } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { collectionLink, itemAddress, type Place } from '../place.js';
import { type TimedStep } from '../transactions/timeline.js';
import { type ItemRefund, refundsOf } from './refunds-of.js';

const kinds: Readonly<Record<ItemRefund['state'], StatusKind>> = {
  open: 'waiting',
  paid: 'good',
  released: 'neutral',
};

interface Shown {
  readonly place: Place;
  readonly item: TransactionItem;
  readonly steps: readonly TimedStep[];
}

/** The facts about refunds on an item's page: the sum and each refund, or the refunded collection. */
export function refundFacts(
  { place, item, steps }: Shown,
  { refunds: words, item: { refundOf } }: MerchantTexts,
): readonly (readonly [string, Html | undefined])[] {
  const { currency, refunded_minor: sum, refund_of: collection } = item;
  const refunds = refundsOf(steps);
  const address = (reference: string): string => itemAddress(place, { type: 'payout', reference });
  return [
    [words.sum, sum === undefined ? undefined : money(sum, currency)],
    [
      words.list,
      refunds.length === 0
        ? undefined
        : html`<ul class="refunds">
            ${refunds.map(
              ({ reference, amountMinor, state }) =>
                html`<li>
                  <a href="${address(reference)}">${reference}</a> ${money(amountMinor, currency)}
                  ${statusMark(state, words.states[state], kinds[state])}
                </li>`,
            )}
          </ul>`,
    ],
    [refundOf, collection === undefined ? undefined : collectionLink(place, collection)],
  ];
}

/** The address of the form that refunds a collection. */
export function refundAddress(place: Pick<Place, 'base'>, collection: string): string {
  return `${itemAddress(place, { type: 'collection', reference: collection })}/refund`;
}

/**
 * The link to the form of a refund, for people who may request payouts (POR-132). A collection has it while it is
 * completed, not under review, and a part of it is left.
 */
export function refundAction(
  { place, item, steps }: Shown,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html | undefined {
  const { type, status, under_review: isUnderReview, amount_minor: posted, reference } = item;
  if (type !== 'collection' || status !== 'completed' || isUnderReview) return undefined;
  if (!permits(viewer.roles, 'payouts.request', place.merchantId)) return undefined;
  const claimed = refundsOf(steps).filter(({ state }) => state !== 'released');
  if (claimed.reduce((sum, { amountMinor }) => sum + amountMinor, 0n) >= posted) return undefined;
  return html`<a class="button secondary" href="${refundAddress(place, reference)}"
    >${texts.refunds.action}</a
  >`;
}
