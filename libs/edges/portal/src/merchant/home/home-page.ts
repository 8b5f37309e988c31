import { html, type Html } from '#shared/html';
import { type EndpointHealth } from '#records/webhooks';
import { type Balance, type ClosingBalances } from '#views/balances';
import { type ReasonFigure } from '#views/day-figures';
import { type TransactionItem } from '#views/transactions';
import { amounts, lineChart, rankingChart } from '../../page/charts/index.js';
import { icon } from '../../page/icons.js';
import { dayLabel, shortTime, type WallClock } from '../../page/list-parts.js';
import { emptyState, money, moneyText, notice, statusMark, table } from '../../page/parts.js';
import { failureText } from '../../text/failures.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { itemAddress, type Place } from '../place.js';
import { type HomeFigures } from './home-figures.js';
import { type HomeTexts } from './home-texts.js';
import { moneyCharts, moneyTiles, tile } from './money-parts.js';

export interface HomeModel {
  readonly place: Place;
  readonly clock: WallClock;
  /** Undefined if the views cannot answer. */
  readonly shown:
    | {
        readonly figures: readonly (HomeFigures & { readonly currency: string })[];
        readonly reasons: readonly ReasonFigure[];
        /** Payouts that need approval. */
        readonly approvals: bigint;
        readonly reviews: bigint;
        readonly balances: readonly {
          readonly balance: Balance;
          readonly closing: ClosingBalances;
        }[];
        readonly latest: readonly TransactionItem[];
      }
    | undefined;
  readonly failing: readonly EndpointHealth[];
}

type Shown = NonNullable<HomeModel['shown']>;

interface Texts {
  readonly home: HomeTexts;
  readonly merchant: MerchantTexts;
}

/** Most failure reasons that are listed. */
const maxReasons = 6;

/** The page: the work that waits, then the figures of the last 30 days, then the latest items. */
export function homePage({ place, clock, shown, failing }: HomeModel, texts: Texts): Html {
  const { home } = texts;
  if (!shown) return notice('warning', home.unavailable);
  return html`${needsYou({ place, shown, failing }, texts)}
    <h2>${home.span}</h2>
    ${shown.figures.map((figures) => tiles(figures, shown, home))}
    <div class="charts">
      ${shown.figures.map((figures) => moneyCharts(figures, home, texts.merchant.language))}
      ${shown.balances.map(({ balance, closing }) => balanceChart(balance.accountNo, closing, texts))}
      ${reasons(shown.reasons, texts)}
    </div>
    ${latest({ place, clock }, shown.latest, texts)}`;
}

function needsYou(
  {
    place,
    shown,
    failing,
  }: { readonly place: Place; readonly shown: Shown; readonly failing: HomeModel['failing'] },
  { home, merchant }: Texts,
): Html {
  const { base } = place;
  const lines = [
    shown.approvals > 0n
      ? html`<a href="${base}/payouts">${home.approvals(shown.approvals)}</a>`
      : undefined,
    shown.reviews > 0n
      ? html`<a href="${base}/transactions?attention=true">${home.reviews(shown.reviews)}</a>`
      : undefined,
    ...failing.map(
      ({ kind, failures }) =>
        html`<a href="${base}/webhooks?failing=on"
          >${home.failing(merchant.keys.kinds[kind], failures)}</a
        >`,
    ),
  ].filter((line) => line !== undefined);
  if (lines.length === 0) return html`<p class="soft">${icon('good')} ${home.nothing}</p>`;
  return html`<div class="notice notice-warning">
    ${icon('errors')}
    <div>
      <p><strong>${home.needsYou}</strong></p>
      <ul>
        ${lines.map((line) => html`<li>${line}</li>`)}
      </ul>
    </div>
  </div>`;
}

function tiles(
  { currency, now, before }: Shown['figures'][number],
  { balances }: Shown,
  home: HomeTexts,
): Html {
  const ofCurrency = balances.filter(({ balance }) => balance.currency === currency);
  const sum = (of: (balance: Balance) => bigint): bigint =>
    ofCurrency.reduce((total, { balance }) => total + of(balance), 0n);
  const reserved = sum(({ reservedMinor }) => reservedMinor);
  return html`<div class="tiles">
    ${moneyTiles({ currency, now, before }, home)}
    ${tile(
      home.available,
      money(
        sum(({ availableMinor }) => availableMinor),
        currency,
      ),
      [reserved === 0n ? home.notReserved : home.reserved(moneyText(reserved, currency))],
    )}
  </div>`;
}

function balanceChart(
  accountNo: string,
  { currency, days }: ClosingBalances,
  { home, merchant }: Texts,
): Html {
  const { language } = merchant;
  const closing = days.map(({ closingMinor }) => closingMinor);
  const title = home.balance(accountNo);
  return lineChart({
    title,
    unit: currency,
    labels: days.map(({ day }) => dayLabel(day, language)),
    series: [amounts({ name: title, tone: 'completed' }, closing, currency)],
    language,
  });
}

function reasons(figures: Shown['reasons'], { home, merchant }: Texts): Html | undefined {
  const byCode = new Map<string, bigint>();
  for (const { type, failureCode, count } of figures)
    if (type === 'collection') byCode.set(failureCode, (byCode.get(failureCode) ?? 0n) + count);
  if (byCode.size === 0) return undefined;
  return rankingChart({
    title: home.reasons,
    tone: 'failed',
    rows: [...byCode].slice(0, maxReasons).map(([code, count]) => ({
      label: failureText({ code, type: 'collection' }, merchant.language),
      value: Number(count),
      exact: count.toString(),
    })),
  });
}

function latest(
  { place, clock }: Pick<HomeModel, 'place' | 'clock'>,
  items: readonly TransactionItem[],
  { home, merchant }: Texts,
): Html {
  const { common } = merchant;
  return html`${table({
    caption: home.latest,
    head: [
      common.reference,
      { text: common.amount, isNumber: true },
      common.status,
      common.created,
    ],
    rows: items.map((item) => [
      html`<a href="${itemAddress(place, item)}">${item.reference}</a>`,
      money(item.amount_minor, item.currency),
      statusMark(item.status, common.statuses[item.status]),
      shortTime(item.created_at, clock),
    ]),
    empty: emptyState(home.empty.text, home.empty.todo),
  })}
  ${items.length === 0 ? undefined : html`<p><a href="${place.base}/transactions">${home.all}</a></p>`}`;
}
