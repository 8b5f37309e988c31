import { type MerchantReadiness, type Readiness, type V3Calls } from '#views/v3-usage';
import { missingToMoveWords } from '../missing-words.js';
import { barsPlot, count, type Series } from './bars.js';
import { escapeHtml } from '#shared/html';

const routeNames = ['balance', 'collect', 'checkout', 'other'] as const;

/** V3 calls as a series for each route that was called. */
export function routeSeries(days: readonly string[], calls: readonly V3Calls[]): readonly Series[] {
  const series = routeNames.map((route) => ({
    name: route,
    mark: route,
    values: byDay(
      days,
      calls.filter((row) => row.route === route),
      (row) => row.calls,
    ),
  }));
  const called = series.filter(({ values }) => values.some((value) => value > 0));
  return called.length === 0 ? series.slice(0, 1) : called;
}

/** The meaning of the colours; a single series needs no key. */
export function key(series: readonly Series[], withUnknown: boolean): string {
  const items = [
    ...(series.length > 1 ? series : []),
    ...(withUnknown ? [{ name: 'not counted', mark: 'unknown' }] : []),
  ].map(
    ({ name, mark }) =>
      `<li><svg viewBox="0 0 12 12" aria-hidden="true"><rect class="${mark}" width="12" height="12" rx="2"/></svg>${escapeHtml(name)}</li>`,
  );
  return items.length === 0 ? '' : `<ul class="key">${items.join('')}</ul>`;
}

/** A merchant's obstacles, plots and numbers. */
export function merchantSection(
  { days, uncountedDays }: Readiness,
  merchant: MerchantReadiness,
  index: number,
): string {
  const { name, merchantId, missing } = merchant;
  const unknownDays = new Set(uncountedDays);
  const plots = plotsOf(days, merchant).map(({ title, series }, at) => {
    const isV3 = at < 2;
    const plot = barsPlot({
      id: `m${index}p${at}`,
      title: `${title}, ${name}`,
      days,
      series,
      ...(isV3 ? { unknownDays } : {}),
    });
    return `<h4>${title}</h4>${key(series, isV3 && unknownDays.size > 0)}<div class="wide" tabindex="0" role="group" aria-label="The plot, which scrolls">${plot}</div>`;
  });
  const steps = missing.map((one) => `<li>${escapeHtml(missingToMoveWords[one])}</li>`);
  const isReady = missing.length === 0;
  return `<article id="m${index}">
<header><h3>${escapeHtml(name)}</h3><span class="tag ${isReady ? 'ready' : 'todo'}">${isReady ? 'ready' : `${missing.length} to do`}</span></header>
<p class="quiet"><code>${escapeHtml(merchantId)}</code> · ${standing(merchant)}</p>
${steps.length === 0 ? '<p>Nothing is missing.</p>' : `<ul>${steps.join('')}</ul>`}
${plots.join('\n')}
${numbers(merchant)}
</article>`;
}

function standing({ v3Credentials, v4, checkoutKeys, links }: MerchantReadiness): string {
  const words = [
    `V3 credentials: ${count(v3Credentials)}`,
    `V4 credential: ${v4.state.replace('_', ' ')}${v4.lastDay === undefined ? '' : `, last used ${v4.lastDay}`}`,
    `checkout keys: ${count(checkoutKeys)}`,
    ...(links.flagged ? ['flagged for SHA-1 links'] : []),
  ];
  return words.join(' · ');
}

function plotsOf(
  days: readonly string[],
  { calls, links, v4Collections }: MerchantReadiness,
): readonly { readonly title: string; readonly series: readonly Series[] }[] {
  return [
    { title: 'V3 calls a day', series: routeSeries(days, calls) },
    {
      title: 'SHA-1 checkout links a day',
      series: [
        {
          name: 'unambiguous',
          mark: 'links',
          values: byDay(days, links.days, (row) => row.links - row.movable),
        },
        {
          name: 'digits can move into or out of ttl',
          mark: 'movable',
          values: byDay(days, links.days, (row) => row.movable),
        },
      ],
    },
    {
      title: 'Collections through V4 a day',
      series: [
        { name: 'V4', mark: 'v4', values: byDay(days, v4Collections, (row) => row.collections) },
      ],
    },
  ];
}

function byDay<Row extends { readonly day: string }>(
  days: readonly string[],
  rows: readonly Row[],
  valueOf: (row: Row) => number,
): readonly number[] {
  const values = new Map<string, number>();
  for (const row of rows) values.set(row.day, (values.get(row.day) ?? 0) + valueOf(row));
  return days.map((day) => values.get(day) ?? 0);
}

/** The plots in words, for people who do not see them or want to add up. Days without counts are left out. */
function numbers({ calls, links, v4Collections }: MerchantReadiness): string {
  const days = [...new Set([...calls, ...links.days, ...v4Collections].map(({ day }) => day))]
    .sort()
    .reverse();
  if (days.length === 0) return '';
  const cell = (value: number): string =>
    `<td class="number">${value === 0 ? '' : count(value)}</td>`;
  const rows = days.map((day) => {
    const ofRoutes = routeNames.map((route) =>
      calls.find((row) => row.day === day && row.route === route),
    );
    const link = links.days.find((row) => row.day === day);
    const v4 = v4Collections.find((row) => row.day === day);
    const values = [
      ...ofRoutes.map((row) => row?.calls),
      link?.links,
      link?.movable,
      v4?.collections,
    ];
    return `<tr><th scope="row">${day}</th>${values.map((value) => cell(value ?? 0)).join('')}</tr>`;
  });
  const headings = [...routeNames, 'SHA-1 links', 'movable SHA-1 links', 'V4 collections'];
  return `<details><summary>The numbers by day</summary><div class="wide" tabindex="0" role="group" aria-label="The table, which scrolls"><table>
<thead><tr><th scope="col">day</th>${headings.map((heading) => `<th scope="col" class="number">${heading}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div></details>`;
}
