import { commonStyle, policyFor } from '../../page-style.js';

export const style = `${commonStyle}
:root{--balance:#2f6fb3;--collect:#d9822b;--checkout:#2b8a6e;--other:#8b8f96;--movable:#b3261e;--v4:#5b4bb5;--good:#1d7a46;--todo:#a33b12}
@media (prefers-color-scheme:dark){:root{--balance:#6ba6e3;--collect:#f0a95b;--checkout:#5cc2a2;--other:#8b9199;--movable:#f2857c;--v4:#a99cf0;--good:#6fce97;--todo:#f0a27c}}
main{max-width:56rem}
h2{margin:2.75rem 0 .75rem}h3{font-size:1.0625rem;margin:0}
a{color:var(--balance)}
h4{font-size:.9375rem;margin:1.25rem 0 .25rem;font-weight:600}
.facts{grid-template-columns:repeat(auto-fit,minmax(10rem,1fr))}.facts dd{font-size:1.5rem}
.plot .label{fill:var(--ink)}.plot .strong{font-weight:600}
.today{stroke:var(--ink);stroke-width:1.5;stroke-dasharray:4 3}
.balance{fill:var(--balance)}.collect{fill:var(--collect)}.checkout{fill:var(--checkout)}.other{fill:var(--other)}
.links{fill:var(--checkout)}.movable{fill:var(--movable)}.v4{fill:var(--v4)}.unknown{fill:var(--line);opacity:.7}
.phase.coexist{fill:var(--checkout)}.phase.encourage{fill:var(--balance)}.phase.restrict{fill:var(--collect)}.phase.retire{fill:var(--movable)}
.key{flex-wrap:wrap;gap:.25rem 1.25rem}
article{border-top:1px solid var(--line);padding:1.5rem 0 .5rem}
article header{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline}
.tag{border:1px solid;border-radius:999px;padding:0 .625rem}.ready{color:var(--good)}.todo{color:var(--todo)}
code{font-size:.875em}
.number{padding-right:1.5rem}
ul{padding-left:1.25rem;margin:.5rem 0}
@media print{article{break-inside:avoid}}
`;

export const policy = policyFor(style);
