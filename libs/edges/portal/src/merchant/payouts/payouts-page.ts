import { html, type Html } from '#shared/html';
import { type Balance } from '#views/balances';
import { type UnsettledPayout } from '#views/payouts';
import { type TransactionItem } from '#views/transactions';
import { type Viewer } from '../../access/viewer.js';
import { emptyState, money, notice } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { type Place } from '../place.js';
import { transactionsTable } from '../transactions/transactions-table.js';
import { type Waiting, waitingList } from './waiting-list.js';

export interface PayoutsModel extends Omit<Waiting, 'waiting'> {
  /** Undefined if the view cannot answer at the moment. */
  readonly waiting: readonly UnsettledPayout[] | undefined;
  readonly latest: readonly TransactionItem[] | undefined;
  /** The balances that can be read at the moment. */
  readonly balances: readonly Balance[];
}

/** The money that can be paid out, the payouts that need a second person, then the latest payouts. */
export function payoutsPage(
  model: PayoutsModel,
  frame: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { waiting } = model;
  const { payouts: words, common } = frame.texts;
  const waits = waiting
    ? waitingList({ ...model, waiting }, frame)
    : notice('warning', common.unavailable);
  return html`${model.balances.map((balance) => balanceLine(balance, model, frame.texts))}
  ${
    isUnused(model)
      ? undefined
      : html`<h2>${words.waiting}</h2>
          ${waits}`
  }
  ${latestPayouts(model, frame.texts)}`;
}

/** True if the merchant has no payout at all: one empty list then says so. */
function isUnused({ waiting, latest }: PayoutsModel): boolean {
  return waiting?.length === 0 && latest?.length === 0;
}

function balanceLine(
  { accountNo, currency, availableMinor, reservedMinor }: Balance,
  { place }: PayoutsModel,
  { payouts: words }: MerchantTexts,
): Html {
  const name = place.accounts.length > 1 ? html`${accountNo}: ` : undefined;
  return html`<p class="balance-line">
    ${name}${words.available} <b>${money(availableMinor, currency)}</b>, ${words.reserved}
    ${money(reservedMinor, currency)}
  </p>`;
}

function latestPayouts(
  { place, clock, latest, waiting, mayAsk }: PayoutsModel,
  texts: MerchantTexts,
): Html | undefined {
  const { payouts: words, common } = texts;
  const title = html`<h2>${words.latest}</h2>`;
  if (latest === undefined) return html`${title} ${notice('warning', common.unavailable)}`;
  // The first payout of a merchant waits above, so "none yet" would be wrong.
  if (latest.length === 0 && waiting?.length !== 0) return undefined;
  const all = `${place.base}/transactions?type=payout`;
  if (latest.length === 0)
    return html`${title}
    ${emptyState(
      words.noneYet,
      mayAsk
        ? html`<a class="button secondary" href="${place.base}/payouts/ask">${words.ask}</a>`
        : words.intro,
      'payouts',
    )}`;
  const table = { place, caption: words.latest, items: latest, onlyType: 'payout', clock } as const;
  return html`${title} ${transactionsTable({ ...table, totals: [], isOfPage: true }, texts)}
    <p><a href="${all}">${words.all}</a></p>`;
}

/** The links that begin a payout or a batch, for people who may request one. */
export function payoutActions({ base }: Pick<Place, 'base'>, texts: MerchantTexts): Html {
  return html`<a class="button secondary" href="${base}/payouts/batches">${texts.batches.ask}</a>
    <a class="button" href="${base}/payouts/ask">${texts.payouts.ask}</a>`;
}
