import { type Finding, isOpen } from '#domain/reconciliation';
import { Html, html } from '#shared/html';
import { nextStep } from '#desk/words';
import { type Report, timeOf } from '#views/reconciliations';
import { money } from '../money.js';
import { commonStyle, policyFor } from '../page-style.js';
import { type ComparedDay, findingWords, notOver } from './report-text.js';

const style = `${commonStyle}
:root{--settled:#2f6fb3;--open:#b3261e}
@media (prefers-color-scheme:dark){:root{--settled:#6ba6e3;--open:#f2857c}}
main{max-width:64rem}
h2{margin:2.5rem 0 .75rem}
.facts{grid-template-columns:repeat(auto-fit,minmax(11rem,1fr))}.facts dd{font-size:1.375rem}
.settled{fill:var(--settled)}.open{fill:var(--open)}
.key{gap:1.25rem}
.number{white-space:nowrap}
.tag{color:var(--open)}
code{font-size:.8125rem}
pre{margin:.25rem 0;white-space:pre-wrap}
`;
const policy = policyFor(style);

/** The style, byte for byte as the policy names it. */
const styleElement = new Html(`<style>${style}</style>`);

/** A page that is complete by itself: no script, no font, no image, nothing from elsewhere. */
export function reportPage(report: ComparedDay): string {
  const { day, file, tallies } = report;
  return `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>Reconciliation of ${day.accountNo}, ${day.date}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <h1>${day.name}, ${day.date}</h1>
          <p class="quiet">
            Account ${day.accountNo} (${day.mode}), days of ${day.timezone}. Ledger as of position
            ${report.position.toString()}. Statement <code>${file.name}</code>, ${report.lines}
            lines, sha256 <code>${file.sha256}</code>.
          </p>
          ${report.isOver ? '' : html`<p>${notOver}</p>`} ${facts(report)}
          <h2>Both sides</h2>
          ${bothSides(report)}
          <h2>By hour</h2>
          ${hoursPlot(report)} ${hoursTable(report)}
          <h2>Findings</h2>
          ${findingsTable(report)}
          <h2>Open</h2>
          ${tallies.open === 0 ? html`<p>Nothing is open.</p>` : openTable(report)}
        </main>
      </body>
    </html>`.text
  }\n`;
}

function facts({ tallies, day, lists, statement }: Report): Html {
  const { inMinor, outMinor } = statement;
  const net = inMinor - outMinor - (lists.collection.amountMinor - lists.payout.amountMinor);
  const each: readonly (readonly [string, string])[] = [
    ['open', tallies.open.toLocaleString('en')],
    ['matched', tallies.of('matched').findings.toLocaleString('en')],
    ['statement less ledger', money(net, day.currency)],
  ];
  return html`<dl class="facts">
    ${each.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}

function bothSides({ day: { currency }, lists, statement }: Report): Html {
  const { inMinor, outMinor } = statement;
  const rows: readonly (readonly [string, bigint, 'collection' | 'payout'])[] = [
    ['in: collections', inMinor, 'collection'],
    ['out: payouts', outMinor, 'payout'],
  ];
  return wide(
    html`<table>
      <thead>
        <tr>
          <th scope="col"></th>
          ${numbers('statement', 'ledger', 'fees', 'items')}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, minor, type]) =>
            html`<tr>
              <th scope="row">${name}</th>
              ${cell(money(minor, currency))}${cell(money(lists[type].amountMinor, currency))}
              ${cell(money(lists[type].feesMinor, currency))}${cell(String(lists[type].count))}
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

function findingsTable({ day: { currency }, tallies }: Report): Html {
  return wide(
    html`<table>
      <thead>
        <tr>
          <th scope="col">finding</th>
          ${numbers('lines', 'in', 'out', 'items', 'amount', 'fees')}
          <th scope="col"></th>
        </tr>
      </thead>
      <tbody>
        ${tallies.entries().map(
          ([name, tally]) =>
            html`<tr>
              <th scope="row">${findingWords[name]}</th>
              ${cell(String(tally.lines))}${cell(money(tally.inMinor, currency))}
              ${cell(money(tally.outMinor, currency))}${cell(String(tally.items))}
              ${cell(money(tally.itemsMinor, currency))}${cell(money(tally.feesMinor, currency))}
              <td>${isOpen({ name }) ? html`<span class="tag">open</span>` : undefined}</td>
            </tr>`,
        )}
      </tbody>
    </table>`,
  );
}

/** Most rows in the table. More than a person can handle would be too much for a browser. */
const maxShown = 2_000;

function openTable(report: Report): Html {
  const { open, tallies } = report;
  const more = tallies.open - Math.min(open.length, maxShown);
  return html`${wide(
    html`<table>
      <thead>
        <tr>
          <th scope="col">time</th>
          <th scope="col">finding</th>
          <th scope="col">receipt, row</th>
          <th scope="col">item</th>
          ${numbers('statement', 'ledger')}
          <th scope="col">what to do</th>
        </tr>
      </thead>
      <tbody>
        ${open.slice(0, maxShown).map((finding) => openRow(finding, report))}
      </tbody>
    </table>`,
  )}
  ${more > 0 ? html`<p>… and ${more} more: reconcile --json lists them.</p>` : undefined}`;
}

function openRow(finding: Finding, report: Report): Html {
  const { day } = report;
  const { name, line, item, about } = finding;
  const of = item ?? about;
  const { what, commands } = nextStep(finding, report);
  return html`<tr>
    <td>${localTime(timeOf(finding), day.timezone)}</td>
    <td>${findingWords[name]}</td>
    <td>${line === undefined ? '' : `${line.receipt}, row ${line.line}`} ${line?.party ?? ''}</td>
    <td>${of === undefined ? '' : `${of.type} ${of.reference}`}</td>
    ${cell(line === undefined ? '' : money(line.amountMinor, day.currency))}
    ${cell(item === undefined ? '' : money(item.amountMinor, day.currency))}
    <td>${what}${commands.map((command) => html`<pre><code>${command}</code></pre>`)}</td>
  </tr>`;
}

const plot = { width: 760, height: 168, left: 48, right: 8, top: 12, bottom: 26 };

/** Lines and items of each hour, stacked: settled ones below, open ones above. */
function hoursPlot({ hours }: Report): Html {
  const most = Math.max(1, ...hours.map(({ settled, open }) => settled + open));
  const base = plot.height - plot.bottom;
  const tall = (count: number): number => (count / most) * (base - plot.top);
  const step = (plot.width - plot.left - plot.right) / hours.length;
  const bar = (hour: number, kind: 'settled' | 'open', from: number, count: number): Html =>
    count === 0
      ? html``
      : html`<rect
          class="${kind}"
          x="${px(plot.left + hour * step)}"
          y="${px(base - tall(from + count))}"
          width="${px(step - 2)}"
          height="${px(tall(count))}"
          ><title>${hourName(hour)}: ${kind} ${count}</title></rect
        >`;
  const total = hours.reduce((sum, { settled, open }) => sum + settled + open, 0);
  return html`<ul class="key">
      <li>${swatch('settled')}no action needed</li>
      <li>${swatch('open')}open</li>
    </ul>
    <div class="wide" tabindex="0" role="group" aria-label="The plot, which scrolls">
      <svg
        class="plot"
        viewBox="0 0 ${plot.width} ${plot.height}"
        role="img"
        aria-labelledby="hours-title hours-text"
      >
        <title id="hours-title">Findings by hour</title>
        <desc id="hours-text">
          ${total} of the day, at most ${most} in an hour. The table below has the numbers.
        </desc>
        <line
          class="grid"
          x1="${plot.left}"
          x2="${plot.width - plot.right}"
          y1="${plot.top}"
          y2="${plot.top}"
        />
        <text x="${plot.left - 6}" y="${plot.top}" dy="4" text-anchor="end">${most}</text>
        ${hours.map(({ settled, open }, hour) => html`${bar(hour, 'settled', 0, settled)}${bar(hour, 'open', settled, open)}`)}
        <line
          class="axis"
          x1="${plot.left}"
          x2="${plot.width - plot.right}"
          y1="${base}"
          y2="${base}"
        />
        ${hours.map((_each, hour) =>
          hour % 6 === 0
            ? html`<text x="${px(plot.left + hour * step)}" y="${base + 17}"
                >${hourName(hour)}</text
              >`
            : html``,
        )}
      </svg>
    </div>`;
}

function hoursTable({ hours }: Report): Html {
  return html`<details>
    <summary>The numbers by hour</summary>
    ${wide(
      html`<table>
        <thead>
          <tr>
            <th scope="col">hour</th>
            ${numbers('no action needed', 'open')}
          </tr>
        </thead>
        <tbody>
          ${hours.map(
            ({ settled, open }, hour) =>
              html`<tr>
                <th scope="row">${hourName(hour)}</th>
                ${cell(String(settled))}${cell(String(open))}
              </tr>`,
          )}
        </tbody>
      </table>`,
    )}
  </details>`;
}

function wide(content: Html): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="The table, which scrolls">
    ${content}
  </div>`;
}

function swatch(kind: 'settled' | 'open'): Html {
  return html`<svg viewBox="0 0 1 1" aria-hidden="true">
    <rect class="${kind}" width="1" height="1" />
  </svg>`;
}

function numbers(...names: readonly string[]): readonly Html[] {
  return names.map((name) => html`<th scope="col" class="number">${name}</th>`);
}

function cell(text: string): Html {
  return html`<td class="number">${text}</td>`;
}

/** Hours count from the day's begin: on the day of a clock change they are not the clock's. */
function hourName(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

function localTime(atMs: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(atMs);
}

function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}
