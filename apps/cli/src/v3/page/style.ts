import { createHash } from 'node:crypto';

/** Colours that differ in lightness as well as in hue, on light and on dark. */
export const style = `
:root{color-scheme:light dark;--ink:#1b1d20;--quiet:#5a6068;--paper:#fff;--card:#f6f7f8;--line:#d4d8dd;
--balance:#2f6fb3;--collect:#d9822b;--checkout:#2b8a6e;--other:#8b8f96;--movable:#b3261e;--v4:#5b4bb5;--good:#1d7a46;--todo:#a33b12}
@media (prefers-color-scheme:dark){:root{--ink:#e9ebee;--quiet:#a6adb6;--paper:#15171a;--card:#1e2125;--line:#3a4048;
--balance:#6ba6e3;--collect:#f0a95b;--checkout:#5cc2a2;--other:#8b9199;--movable:#f2857c;--v4:#a99cf0;--good:#6fce97;--todo:#f0a27c}}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--paper)}
main{max-width:56rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem}h2{font-size:1.25rem;margin:2.75rem 0 .75rem}h3{font-size:1.0625rem;margin:0}
a{color:var(--balance)}
h4{font-size:.9375rem;margin:1.25rem 0 .25rem;font-weight:600}
p{margin:.5rem 0}.quiet{color:var(--quiet)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.75rem;margin:1.25rem 0;padding:0}
.facts div{background:var(--card);border-radius:8px;padding:.75rem 1rem}
.facts dt{color:var(--quiet);font-size:.875rem}.facts dd{margin:0;font-size:1.5rem;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}.plot{display:block;width:100%;min-width:34rem;height:auto}
.plot text{font:12px system-ui,sans-serif;fill:var(--quiet)}.plot .label{fill:var(--ink)}.plot .strong{font-weight:600}
.grid{stroke:var(--line)}.axis{stroke:var(--quiet)}.today{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:4 3}
.balance{fill:var(--balance)}.collect{fill:var(--collect)}.checkout{fill:var(--checkout)}.other{fill:var(--other)}
.links{fill:var(--checkout)}.movable{fill:var(--movable)}.v4{fill:var(--v4)}.unknown{fill:var(--line);opacity:.7}
.phase.coexist{fill:var(--checkout)}.phase.encourage{fill:var(--balance)}.phase.restrict{fill:var(--collect)}.phase.retire{fill:var(--movable)}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:.25rem 0;padding:0;font-size:.875rem;color:var(--quiet)}
.key svg{width:.75rem;height:.75rem;margin-right:.375rem;vertical-align:-1px}
article{border-top:1px solid var(--line);padding:1.5rem 0 .5rem}
article header{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline}
.tag{font-size:.8125rem;font-weight:600;border:1px solid;border-radius:999px;padding:0 .625rem}.ready{color:var(--good)}.todo{color:var(--todo)}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.875em;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}
.number{text-align:right;padding-right:1.5rem;font-variant-numeric:tabular-nums}
summary{cursor:pointer;margin:.75rem 0;color:var(--quiet)}ul{padding-left:1.25rem;margin:.5rem 0}
@media print{.plot{min-width:0}article{break-inside:avoid}}
`;

/** Lets the page use its own style and nothing else, wherever it is opened. */
export const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`;
