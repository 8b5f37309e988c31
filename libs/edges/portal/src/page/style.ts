/**
 * The portal's style. Every text has a contrast of at least 4.5 with its background, in both schemes. Everything that a
 * person can touch is 44 pixels high. Colour is never the only mark: each has a sign and a word as well.
 */
export const style = `
:root{color-scheme:light dark;--back:#f3f5f4;--paper:#fff;--ink:#17231d;--soft:#4a5a52;--line:#c9d3cd;--act:#0a5c36;--act-ink:#fff;--good:#0b6138;--bad:#a01c15;--wait:#7a4a00;--good-back:#e8f5ee;--bad-back:#fdf1f0;--wait-back:#fff6e5;--focus:#1457c8;--bar:#2f7d57}
@media (prefers-color-scheme:dark){:root{--back:#101613;--paper:#19211d;--ink:#e8eeea;--soft:#a9b8b0;--line:#3a4841;--act:#7fd6a8;--act-ink:#08170f;--good:#86dcb0;--bad:#ffa79f;--wait:#f4c36b;--good-back:#12291e;--bad-back:#351a18;--wait-back:#33270f;--focus:#8ab4ff;--bar:#5fbf8f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;font:1rem/1.5 system-ui,-apple-system,Roboto,"Segoe UI",sans-serif;color:var(--ink);background:var(--back)}
a{color:var(--act)}
.skip{position:absolute;left:-100vw;top:0;padding:.75rem 1rem;background:var(--paper);z-index:1}
.skip:focus{left:0}
.top{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;padding:.5rem 1rem;background:var(--paper);border-bottom:1px solid var(--line)}
.brand{font-weight:700;text-decoration:none;color:inherit;padding:.5rem 0}
.who{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:center;margin-left:auto}
.who p{margin:0;overflow-wrap:anywhere}
.who form{margin:0}
.nav{background:var(--paper);border-bottom:1px solid var(--line)}
.nav ul{display:flex;flex-wrap:wrap;gap:0 .25rem;margin:0;padding:0 .5rem;list-style:none}
.nav a{display:block;min-height:2.75rem;padding:.6rem .75rem;text-decoration:none;border-bottom:3px solid transparent}
.nav a:hover{text-decoration:underline}
.nav a[aria-current]{font-weight:700;color:inherit;border-color:currentColor}
.mode{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;margin:0;padding:.5rem 1rem;border-bottom:1px solid var(--line)}
.mode b{padding:.1rem .6rem;border:2px solid;border-radius:99px}
.mode-demo{color:var(--wait);background:var(--wait-back);border-bottom-style:dashed;border-bottom-width:3px}
.mode-live{color:var(--good);background:var(--good-back);border-bottom-width:3px}
main{display:block;max-width:100rem;margin:0 auto;padding:1rem}
main:focus{outline:0}
h1{margin:.25rem 0 1rem;font-size:1.625rem;line-height:1.25;overflow-wrap:anywhere}
h2{margin:1.75rem 0 .5rem;font-size:1.25rem;line-height:1.3;overflow-wrap:anywhere}
h3{margin:1.25rem 0 .5rem;font-size:1.0625rem}
p{max-width:46rem;margin:0 0 .75rem}
code{font-size:.9375em;overflow-wrap:anywhere}
pre{margin:0 0 1rem;padding:.75rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:.5rem;background:var(--paper)}
.scroll{overflow-x:auto;margin:0 0 1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--paper)}
table{width:100%;border-collapse:collapse}
caption{padding:.6rem .5rem;text-align:left;font-weight:600}
caption span{display:inline-block;position:sticky;left:.5rem;max-width:calc(100vw - 4rem)}
th,td{padding:.5rem;text-align:left;vertical-align:top;border-top:1px solid var(--line)}
thead th{font-size:.875rem;color:var(--soft);white-space:nowrap}
tbody th{font-weight:600}
td small{overflow-wrap:anywhere}
@media (max-width:30rem){.scroll>table{width:max-content;min-width:100%}.scroll th,.scroll td{max-width:16rem}}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.money,time{font-variant-numeric:tabular-nums;white-space:nowrap}
dl{display:grid;grid-template-columns:minmax(9rem,max-content) 1fr;gap:.25rem 1.25rem;margin:0 0 1rem}
dt{color:var(--soft)}
dd{margin:0;min-width:0;overflow-wrap:anywhere}
@media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}}
.mark{white-space:nowrap;font-weight:600}
.good{color:var(--good)}
.bad{color:var(--bad)}
.waiting{color:var(--wait)}
.neutral{color:var(--soft)}
ul,ol{overflow-wrap:anywhere}
.notice{overflow-wrap:anywhere;margin:0 0 1rem;padding:.75rem 1rem;border:1px solid;border-left-width:.375rem;border-radius:.375rem;background:var(--paper)}
.notice p:last-child,.notice ul:last-child{margin-bottom:0}
.notice-done{color:var(--good);background:var(--good-back)}
.notice-error{color:var(--bad);background:var(--bad-back)}
.notice-error a{color:inherit}
.notice-warning{color:var(--wait);background:var(--wait-back)}
.notice-info{color:var(--soft)}
.empty{margin:0 0 1rem;padding:1.25rem 1rem;border:1px dashed var(--line);border-radius:.5rem;background:var(--paper)}
.empty p:last-child{margin:0}
.field{max-width:34rem;margin:0 0 1rem}
.field label,legend{display:block;font-weight:600}
.field .hint{margin:0 0 .25rem;font-size:.9375rem;color:var(--soft)}
.field .wrong{margin:0 0 .25rem;font-weight:600;color:var(--bad)}
.tick{display:flex;gap:.6rem;align-items:center}
.tick label{font-weight:400;padding:.6rem 0}
input,select,textarea{width:100%;min-height:2.75rem;padding:.4rem .6rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:.375rem}
input[type=checkbox],input[type=radio]{width:1.5rem;min-height:1.5rem;flex:none}
input[type=file]{padding:.6rem}
[aria-invalid=true]{border:2px solid var(--bad)}
button,.button{display:inline-block;min-height:2.75rem;padding:.5rem 1rem;font:inherit;font-weight:600;text-decoration:none;color:var(--act-ink);background:var(--act);border:2px solid var(--act);border-radius:.375rem;cursor:pointer}
.button{margin-bottom:.5rem}
button:hover,.button:hover{filter:brightness(1.1)}
.danger{color:var(--paper);background:var(--bad);border-color:var(--bad)}
.plain{color:var(--act);background:none;border-color:transparent;padding:.5rem .25rem;font-weight:400;text-decoration:underline}
.choice{display:inline-flex;min-width:2.75rem;min-height:2.75rem;align-items:center;justify-content:center}
.card{margin:0 0 1rem;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem;background:var(--paper)}
.parts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:1rem;margin:1.75rem 0 1rem}
.parts>.card{margin:0;min-width:0}
.card h2,.card h3{margin-top:.25rem;overflow-wrap:anywhere}
.card .choice{margin-left:-.6rem;vertical-align:middle}
.card dl,.card p:last-child{margin-bottom:.5rem}
.row{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:flex-end}
@media (max-width:30rem){.row .field{flex:1 1 auto}}
figure{margin:0 0 1rem;padding:.75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--paper)}
figcaption{font-weight:600;margin-bottom:.5rem}
svg{display:block;width:100%;max-width:44rem;height:auto}
svg text{font-size:12px;fill:var(--soft)}
svg .axis{stroke:var(--line);fill:none}
svg .bar{fill:var(--bar)}
svg .line{stroke:var(--bar);stroke-width:2;fill:none}
svg .dot{fill:var(--bar)}
summary{min-height:2.75rem;padding:.6rem 0;cursor:pointer}
.foot{padding:1rem;font-size:.875rem;color:var(--soft)}
.foot form{margin:0}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
@media (min-width:120rem){html{font-size:112.5%}}
@media (prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
@media print{.top,.nav,.foot,.skip{display:none}}
`.trimStart();
