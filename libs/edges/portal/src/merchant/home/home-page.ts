import { html, type Html } from '#shared/html';
import { type EndpointHealth } from '#records/webhooks';
import { type Balance, type ClosingBalances } from '#views/balances';
import { type ReasonFigure } from '#views/day-figures';
import { type TransactionItem } from '#views/transactions';
import { amounts, lineChart, rankingChart } from '../../page/charts/index.js';
import { icon } from '../../page/icons.js';
import { dayLabel, type WallClock } from '../../page/list-parts.js';
import { emptyState, money, moneyText, notice } from '../../page/parts.js';
import { failureText } from '../../text/failures.js';
import { type EndingKey } from '../developer/key-end.js';
import { type MerchantTexts } from '../merchant-texts.js';
import { notOpened } from '../not-opened.js';
import { type Place } from '../place.js';
import { type ListQuery } from '../transactions/list-query.js';
import { listAddress } from '../transactions/transactions-model.js';
import { transactionsTable } from '../transactions/transactions-table.js';
import { type DayFigures, type HomeFigures } from './home-figures.js';
import { type HomeTexts } from './home-texts.js';
import { moneyCharts, moneyTiles, type SpanLinks, tile } from './money-parts.js';
import { countText } from '../../text/count-text.js';

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
        /** The masked number of each item's customer by the item's id. */
        readonly phones: ReadonlyMap<string, string>;
      }
    | undefined;
  readonly failing: readonly EndpointHealth[];
  /** Keys that end soon or have ended, if the viewer may see keys. */
  readonly ending: readonly EndingKey[];
}

type Shown = NonNullable<HomeModel['shown']>;

interface Texts {
  readonly home: HomeTexts;
  readonly merchant: MerchantTexts;
}

/** Most failure reasons that are listed. */
const maxReasons = 6;

/**
 * The page: the work that waits, the figures of today, of yesterday and of the last 30 days, the latest items, and then
 * the charts. A phone shows the first item on its first screen or soon after it.
 */
export function homePage({ place, clock, shown, failing, ending }: HomeModel, texts: Texts): Html {
  const { home, merchant } = texts;
  if (place.accounts.length === 0) return notOpened(place, merchant);
  if (!shown) return notice('warning', home.unavailable);
  return html`${needsYou({ place, shown, failing, ending }, texts)}
    ${shown.figures.map((figures) => figureTiles({ place, clock }, figures, { shown, home }))}
    ${latest({ place, clock }, shown, texts)}
    <h2 class="period">${home.trends}</h2>
    <div class="charts">
      ${shown.figures.map((figures) => moneyCharts(figures, home, merchant.language))}
      ${shown.balances.map(({ balance, closing }) => balanceChart(balance.accountNo, closing, texts))}
      ${reasons(shown.reasons, texts)}
    </div>`;
}

function needsYou(
  {
    place,
    shown,
    failing,
    ending,
  }: Pick<HomeModel, 'place' | 'failing' | 'ending'> & { readonly shown: Shown },
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
    ...ending.map(
      ({ holder, days }) => html`<a href="${base}/keys">${home.ending(holder, days)}</a>`,
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

type At = Pick<HomeModel, 'place' | 'clock'>;

function figureTiles(
  { place, clock }: At,
  figures: Shown['figures'][number],
  { shown, home }: { readonly shown: Shown; readonly home: HomeTexts },
): Html {
  const { currency, days } = figures;
  const { today } = clock;
  const list = (query: Omit<ListQuery, 'dateField'>): string =>
    listAddress(place, { dateField: 'created_at', ...query });
  const span = { from: days[0]?.day ?? today, to: today };
  const links: SpanLinks = {
    collected: list({ type: 'collection', status: 'completed', ...span }),
    failed: list({ type: 'collection', status: 'failed', ...span }),
    paidOut: list({ type: 'payout', status: 'completed', ...span }),
  };
  const dayTile = (label: string, of: DayFigures | undefined): Html =>
    tile({
      label,
      value: money(of?.collectedMinor ?? 0n, currency),
      notes: [
        home.payments(BigInt(of?.completed ?? 0)),
        home.paidOutOn(moneyText(of?.paidOutMinor ?? 0n, currency), of?.paidOutCount ?? 0n),
      ],
      href: of && list({ from: of.day, to: of.day }),
    });
  return html`<div class="tiles days">
      ${dayTile(home.today, days.at(-1))} ${dayTile(home.yesterday, days.at(-2))}
      ${availableTile(place, currency, { shown, home })}
    </div>
    <h2 class="period">${home.span}</h2>
    <div class="tiles days">${moneyTiles(figures, home, links)}</div>`;
}

function availableTile(
  place: Place,
  currency: string,
  { shown, home }: { readonly shown: Shown; readonly home: HomeTexts },
): Html {
  const own = shown.balances.filter(({ balance }) => balance.currency === currency);
  const sum = (of: (balance: Balance) => bigint): bigint =>
    own.reduce((total, { balance }) => total + of(balance), 0n);
  const reserved = sum(({ reservedMinor }) => reservedMinor);
  return tile({
    label: home.available,
    value: money(
      sum(({ availableMinor }) => availableMinor),
      currency,
    ),
    notes: [reserved === 0n ? home.notReserved : home.reserved(moneyText(reserved, currency))],
    isWide: true,
    href: `${place.base}/transactions`,
  });
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
      exact: countText(count),
    })),
  });
}

function latest(
  { place, clock }: At,
  { latest: items, phones }: Shown,
  { home, merchant }: Texts,
): Html {
  const caption = home.latest;
  if (items.length === 0) return emptyState(home.empty.text, home.empty.todo);
  const rows = { place, clock, caption, items, phones, totals: [], isOfPage: false };
  return html`<h2 class="period">${caption}</h2>
    ${transactionsTable(rows, merchant)}
    <p><a href="${place.base}/transactions">${home.all}</a></p>`;
}
