import { html, type Html } from '#shared/html';
import { type UnsettledPayout } from '#views/payouts';
import { type TransactionItem } from '#views/transactions';
import { type Viewer } from '../../access/viewer.js';
import { emptyState, notice } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { transactionsTable } from '../transactions/transactions-table.js';
import { type Waiting, waitingList } from './waiting-list.js';

export interface PayoutsModel extends Omit<Waiting, 'waiting'> {
  /** Undefined if the view cannot answer at the moment. */
  readonly waiting: readonly UnsettledPayout[] | undefined;
  readonly latest: readonly TransactionItem[] | undefined;
}

/** The payouts that need a second person first, then the latest payouts. */
export function payoutsPage(
  model: PayoutsModel,
  frame: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { place, clock, waiting, latest } = model;
  const { payouts: words, common } = frame.texts;
  return html`<p>${words.intro}</p>
    <h2>${words.waiting}</h2>
    ${waiting ? waitingList({ ...model, waiting }, frame) : notice('warning', common.unavailable)}
    <h2>${words.latest}</h2>
    ${
      latest === undefined
        ? notice('warning', common.unavailable)
        : latest.length === 0
          ? emptyState(words.noneYet.text, words.noneYet.todo)
          : html`${transactionsTable({ place, caption: words.latest, items: latest, clock, totals: [], isOfPage: true }, frame.texts)}
              <p><a href="${place.base}/transactions?type=payout">${words.all}</a></p>`
    }`;
}

/** The links that begin a payout or a batch, for people who may request one. */
export function payoutActions({ base }: Pick<Place, 'base'>, texts: MerchantTexts): Html {
  return html`<a class="button secondary" href="${base}/payouts/batches">${texts.batches.ask}</a>
    <a class="button" href="${base}/payouts/ask">${texts.payouts.ask}</a>`;
}
