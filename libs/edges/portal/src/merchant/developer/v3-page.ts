import { html, type Html } from '#shared/html';
import { type MerchantReadiness, type Readiness } from '#views/v3-usage';
import { type Viewer } from '../../access/viewer.js';
import { countChart } from '../../page/charts/index.js';
import { dayLabel } from '../../page/list-parts.js';
import { emptyState, notice, table } from '../../page/parts.js';
import { type MerchantTexts } from '../merchant-texts.js';

/** The page that shows how a merchant still uses V3, its flags, and what to change. */
export function v3Page(
  { days, merchants }: Readiness,
  { viewer, texts }: { readonly viewer: Viewer; readonly texts: MerchantTexts },
): Html {
  const { v3: words } = texts;
  const [own] = merchants;
  if (!own) return emptyState(words.notUsed.text, words.notUsed.todo);
  const { missing, links, phoneReferencesInWindow: phones } = own;
  const { language } = viewer;
  const byDay = (rows: readonly { readonly day: string; readonly count: number }[]) => {
    const counts = new Map<string, number>();
    for (const { day, count } of rows) counts.set(day, (counts.get(day) ?? 0) + count);
    return days.map((day) => ({ label: dayLabel(day, language), value: counts.get(day) ?? 0 }));
  };
  const calls = byDay(own.calls.map(({ day, calls: count }) => ({ day, count })));
  const v4 = byDay(own.v4Collections.map(({ day, collections: count }) => ({ day, count })));
  return html`<p class="soft">${words.intro}</p>
    ${missing.length === 0 ? notice('done', words.ready) : notice('warning', words.notReady)}
    ${links.flagged ? notice('error', words.flagged) : undefined}
    ${
      missing.length === 0
        ? undefined
        : html`<section class="card">
            <h2>${words.todo}</h2>
            <ol>
              ${missing.map((one) => html`<li>${words.missing[one]}</li>`)}
            </ol>
            ${links.inWindow > 0 ? html`<p class="soft">${words.change}</p>` : undefined}
          </section>`
    }
    ${phones > 0 ? notice('warning', words.phoneReferences(phones)) : undefined}
    ${facts(own, texts)}
    ${table({
      caption: words.routes,
      head: [words.route, { text: words.count, isNumber: true }, words.instead],
      rows: Object.entries(own.routes).map(([route, count]) => [
        route,
        count,
        Object.entries(words.insteadOf).find(([of]) => of === route)?.[1],
      ]),
      empty: html``,
    })}
    <div class="charts">
      ${countChart({ title: words.chartCalls, points: calls, language, tone: 'pending' })}
      ${countChart({ title: words.chartV4, points: v4, language })}
    </div>`;
}

function facts(
  { callsInWindow, links, v4Collections }: MerchantReadiness,
  { v3: words }: MerchantTexts,
): Html {
  const tiles = [
    [words.calls, callsInWindow],
    [words.links, links.inWindow],
    [words.movable, links.movableInWindow],
    [words.v4Collections, v4Collections.reduce((sum, { collections }) => sum + collections, 0)],
  ] as const;
  return html`<div class="tiles">
    ${tiles.map(
      ([label, value]) =>
        html`<div class="tile">
          <p class="label">${label}</p>
          <p class="value">${value}</p>
        </div>`,
    )}
  </div>`;
}
