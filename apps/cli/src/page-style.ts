import { createHash } from 'node:crypto';

/**
 * The common style of the pages that commands write. Each adds its own colours and marks. Colours differ in lightness
 * as well as in hue, on light and on dark.
 */
export const commonStyle = `
:root{color-scheme:light dark;--ink:#1b1d20;--quiet:#5a6068;--paper:#fff;--card:#f6f7f8;--line:#d4d8dd}
@media (prefers-color-scheme:dark){:root{--ink:#e9ebee;--quiet:#a6adb6;--paper:#15171a;--card:#1e2125;--line:#3a4048}}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--paper)}
main{margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem}h2{font-size:1.25rem}
p{margin:.5rem 0}.quiet{color:var(--quiet)}
.facts{display:grid;gap:.75rem;margin:1.25rem 0;padding:0}
.facts div{background:var(--card);border-radius:8px;padding:.75rem 1rem}
.facts dt{color:var(--quiet);font-size:.875rem}.facts dd{margin:0;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}.plot{display:block;width:100%;min-width:34rem;height:auto}
.plot text{font:12px system-ui,sans-serif;fill:var(--quiet)}
.grid{stroke:var(--line)}.axis{stroke:var(--quiet)}
.key{display:flex;list-style:none;margin:.25rem 0;padding:0;font-size:.875rem;color:var(--quiet)}
.key svg{width:.75rem;height:.75rem;margin-right:.375rem;vertical-align:-1px}
.tag{font-size:.8125rem;font-weight:600}
code{font-family:ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}
.number{text-align:right;font-variant-numeric:tabular-nums}
summary{cursor:pointer;margin:.75rem 0;color:var(--quiet)}
@media print{.plot{min-width:0}}
`;

/**
 * A policy that lets a page use only its own style, wherever it is opened.
 * @param style byte for byte
 */
export function policyFor(style: string): string {
  const digest = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${digest}'`;
}
