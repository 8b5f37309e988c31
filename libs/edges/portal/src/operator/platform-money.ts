import { Clock, type Mode, modes } from '#domain/kernel';
import { ReadDatabase } from '#infra/postgres';
import { dayAt } from '#infra/runtime';
import { html, type Html } from '#shared/html';
import { readPlatformFigures } from '#views/day-figures';
import { Injectable } from '@nestjs/common';
import { daysUntil, homeFigures, spanDays } from '../merchant/home/home-figures.js';
import { homeTextsOf } from '../merchant/home/home-texts-of.js';
import { moneyCharts, type MoneyFigures, moneyTiles } from '../merchant/home/money-parts.js';
import { MerchantPagesOptions } from '../merchant/options.js';
import { PortalOptions } from '../portal-options.js';
import { type PageContext } from './page-context.js';

/** Money of all merchants in the last 30 days and the 30 before, by currency. */
export interface PlatformMoney {
  readonly mode: Mode;
  readonly figures: readonly MoneyFigures[];
}

/** Reads the figures of all merchants: of live mode, or of demo mode while there are none of live mode. */
@Injectable()
export class PlatformMoneyReader {
  constructor(
    private readonly database: ReadDatabase,
    private readonly portal: PortalOptions,
    private readonly options: MerchantPagesOptions,
    private readonly clock: Clock,
  ) {}

  /**
   * Days are those of each merchant's zone; the last one is today in the platform's zone.
   * @throws DependencyUnavailable
   */
  async read(): Promise<PlatformMoney> {
    const days = daysUntil(dayAt(this.clock.nowMs(), this.portal.timezone), 2 * spanDays);
    const [from = '', to = ''] = [days[0], days.at(-1)];
    const bound = { maxAgeMs: this.options.readModelMaxAgeMs };
    for (const mode of modes) {
      const { days: found } = await readPlatformFigures(this.database, { mode, from, to }, bound);
      const currencies = [...new Set(found.map(({ currency }) => currency))];
      const figures = currencies.map((currency) => ({
        currency,
        ...homeFigures(found, days, currency),
      }));
      if (figures.length > 0) return { mode, figures };
    }
    return { mode: 'live', figures: [] };
  }
}

/** Collected and paid-out money and the success rate of all merchants, as tiles and charts. */
export function moneyTrends(
  { mode, figures }: PlatformMoney,
  { texts, viewer }: PageContext,
): Html {
  const home = homeTextsOf(viewer);
  const { platform: words } = texts;
  if (figures.length === 0) return html`<p class="soft">${words.noMoney}</p>`;
  return html`<p class="soft">${words.money[mode]}</p>
    ${figures.map(
      (of) =>
        html`<div class="tiles">${moneyTiles(of, home)}</div>
          <div class="charts">${moneyCharts(of, home, viewer.language)}</div>`,
    )}`;
}
