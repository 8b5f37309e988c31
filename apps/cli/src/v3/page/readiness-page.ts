import { phasesAt, usageWindowDays } from '#domain/v3-retirement';
import { type MerchantReadiness, type Readiness } from '#views/v3-usage';
import { barsPlot, count } from './bars.js';
import { escapeHtml } from '#shared/html';
import { key, merchantSection, routeSeries } from './merchant-section.js';
import { policy, style } from './style.js';
import { timeline } from './timeline.js';

/** A page that is complete by itself: no script, no font, no image, nothing from elsewhere. */
export function readinessPage(readiness: Readiness): string {
  const { now, days } = readiness;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>From V3 to V4, ${now.slice(0, 10)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>From V3 to V4</h1>
<p class="quiet">As of ${now.slice(0, 16).replace('T', ' ')} UTC, over ${days.length} days. “Lately” is the last ${usageWindowDays} days.</p>
${facts(readiness)}
${calendar(readiness)}
${everybody(readiness)}
<h2 id="merchants">Merchants</h2>
${overview(readiness.merchants)}
${readiness.merchants.map((merchant, index) => merchantSection(readiness, merchant, index)).join('\n')}
</main>
</body>
</html>
`;
}

function facts({ merchants, unknownCalls, unattributedCalls }: Readiness): string {
  const ready = merchants.filter(({ missing }) => missing.length === 0).length;
  const calls = merchants.reduce((sum, { callsInWindow }) => sum + callsInWindow, 0);
  const links = merchants.reduce((sum, merchant) => sum + merchant.links.inWindow, 0);
  const numbers: readonly (readonly [string, string])[] = [
    ['merchants ready', `${count(ready)} of ${count(merchants.length)}`],
    ['V3 calls lately', count(calls + unattributedCalls)],
    ['SHA-1 links lately', count(links)],
    ['calls without a known merchant', count(unknownCalls)],
  ];
  const items = numbers.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return `<dl class="facts">${items.join('')}</dl>`;
}

function calendar({ gaDate, now }: Readiness): string {
  const phases = phasesAt(gaDate, now);
  const phase = phases.length === 0 ? 'V4 is not available yet' : `Now: ${phases.join(' and ')}`;
  return `<h2 id="calendar">The calendar</h2>
<p>${phase}. V4 became available on ${gaDate}.</p>
<div class="wide" tabindex="0" role="group" aria-label="The calendar, which scrolls">${timeline(gaDate, now)}</div>`;
}

function everybody({ days, merchants, uncountedDays }: Readiness): string {
  const series = routeSeries(
    days,
    merchants.flatMap(({ calls }) => calls),
  );
  const plot = barsPlot({
    id: 'all',
    title: 'V3 calls of all merchants a day, by route',
    days,
    series,
    unknownDays: new Set(uncountedDays),
  });
  return `<h2 id="calls">V3 calls a day</h2>
${key(series, uncountedDays.length > 0)}
<div class="wide" tabindex="0" role="group" aria-label="The plot, which scrolls">${plot}</div>`;
}

function overview(merchants: readonly MerchantReadiness[]): string {
  if (merchants.length === 0) return '<p>No merchant has a V3 credential or has called V3.</p>';
  const rows = merchants.map(
    ({ name, callsInWindow, links, v4, missing }, index) =>
      `<tr><th scope="row"><a href="#m${index}">${escapeHtml(name)}</a></th><td class="number">${count(callsInWindow)}</td><td class="number">${count(links.inWindow)}</td><td>${v4.state.replace('_', ' ')}</td><td>${missing.length === 0 ? 'ready' : `${missing.length} to do`}</td></tr>`,
  );
  return `<div class="wide" tabindex="0" role="group" aria-label="The table, which scrolls"><table>
<thead><tr><th scope="col">merchant</th><th scope="col" class="number">V3 calls lately</th><th scope="col" class="number">SHA-1 links lately</th><th scope="col">V4 credential</th><th scope="col"></th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`;
}
