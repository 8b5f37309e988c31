import { createHash } from 'node:crypto';
import { markdown } from '#shared/html';
import {
  type CalendarDate,
  type DatedWindow,
  datedWindows,
  type Rule,
  sunsetDate,
} from '#domain/v3-retirement';
import { readFileSync } from 'node:fs';
import { WithoutAuthentication } from '#shared/http';
import { packageDirectory } from '#infra/runtime';
import { Controller, Get, Header } from '@nestjs/common';
import { timetableAnchor } from '../v3-gate.js';
import { V3GateOptions } from '../v3-gate.options.js';

const style = `
:root{--ink:#1a1a1a;--paper:#fff;--line:#767676;--soft:#f1f1ee;--link:#0b57a4;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--ink:#ececec;--paper:#161616;--line:#8a8a8a;--soft:#252525;--link:#8ab8f0}}
body{font:1rem/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:52rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.75rem;line-height:1.2}h2{font-size:1.3rem;margin-top:2.5rem}h3{font-size:1.05rem;margin-top:2rem}
a{color:var(--link)}pre{background:var(--soft);padding:1rem;overflow-x:auto;border-radius:4px;font-size:.875rem;line-height:1.45}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9375rem}
.days{white-space:nowrap}
th,td{text-align:left;vertical-align:top;padding:.4rem .75rem .4rem 0;border-bottom:1px solid var(--line)}
`;

/** Allows the page its own style, and nothing else. */
const leavingPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const meaning: Readonly<Record<Rule, string>> = {
  outreach: 'merchants who still call V3 are asked to move',
  new_merchants_v4_only: 'merchants created from now on get V4 credentials only',
  no_new_credentials: 'no new V3 credentials are issued',
  rate_limit: 'V3 calls are limited per consumer key',
  flag_sha1_links: 'merchants whose customers still come by V3 checkout links are flagged',
  retirement_allowed:
    'V3 may be retired, once few calls are left and a final notice is 30 days old: every call then answers 410',
};

/** Returns the page with V3's dates and the migration guide from the repository. */
function leavingPage(gaDate: CalendarDate, guide: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Leaving V3</title>
<style>${style}</style>
</head>
<body>
<main>
${withDates(markdown(guide).text, gaDate)}
</main>
</body>
</html>
`;
}

/**
 * Puts the days before the guide's section on the end of V3, which only has months.
 * @throws TypeError if the guide has no such section
 */
function withDates(guide: string, gaDate: CalendarDate): string {
  const heading = '<h2 id="when-v3-ends">When V3 ends</h2>';
  if (!guide.includes(heading)) throw new TypeError('the guide does not say when V3 ends');
  return guide.replace(heading, () => timetable(gaDate));
}

function timetable(gaDate: CalendarDate): string {
  const rows = datedWindows(gaDate).map(
    (window) =>
      `<tr><td>${window.phase}</td><td class="days">${days(window)}</td><td>${happens(window)}</td></tr>`,
  );
  return `<h2 id="${timetableAnchor}">When V3 ends</h2>
<p>V4 is generally available, and V3 deprecated, since ${gaDate}. From ${sunsetDate(gaDate)} on V3 may be retired. What has come into force stays in force.</p>
<div class="wide" tabindex="0"><table><thead><tr><th scope="col">phase</th><th scope="col">days</th><th scope="col">what happens</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>`;
}

function days({ from, until }: DatedWindow): string {
  return until === undefined ? `from ${from}` : `${from} to ${until}`;
}

function happens({ enforces }: DatedWindow): string {
  return enforces.length === 0
    ? 'both versions are fully supported; V3’s answers carry Deprecation and Sunset'
    : enforces.map((rule) => meaning[rule]).join('; ');
}

/** The page that the Link headers lead to: how V3 ends, and how to leave it. */
@Controller()
@WithoutAuthentication('the timetable and the guide are public')
export class LeavingController {
  private readonly html: Buffer;

  constructor({ gaDate }: V3GateOptions) {
    const guide = packageDirectory('docs', 'how-to', 'migrate-from-v3-to-v4.md');
    this.html = Buffer.from(leavingPage(gaDate, readFileSync(guide, 'utf8')));
  }

  @Get('docs/v3')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=60')
  @Header('Content-Security-Policy', leavingPolicy)
  leaving(): Buffer {
    return this.html;
  }
}
