import { createHash } from 'node:crypto';
import { Html } from '#shared/html';

/**
 * The page's style, within the page, so that the customer waits only for the first answer. Plain CSS that browsers of
 * ten years ago know: those show the light scheme. In both schemes every text has a contrast of 4.5 or more with its
 * background, and the border of every control 3. Every touch target is 48 pixels high.
 */
const style = `
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%}
body{margin:0;font:16px/1.5 system-ui,-apple-system,Roboto,"Segoe UI",sans-serif;color:#1b2a24;background:#eef2f0}
.page{max-width:27rem;margin:0 auto;padding:.75rem .75rem 2rem}
.top{display:flex;justify-content:space-between;align-items:center;min-height:3rem;padding:0 .25rem}
.demo{margin:0;font-size:.8125rem;color:#7a4a00}
.tongue{margin-left:auto}
.tongue a{display:block;padding:.75rem .25rem .75rem 1rem}
main{display:block;background:#fff;border:1px solid #d6ded9;border-radius:14px}
.order{padding:1.25rem .75rem 1.1rem;border-radius:13px 13px 0 0;background:#f7faf8;border-bottom:1px solid #d6ded9;text-align:center}
.order p{margin:0}
.shop{margin:0;font-size:1rem;font-weight:600;line-height:1.5;overflow-wrap:anywhere}
.amount{font-size:2.125rem;line-height:1.25;font-weight:700;letter-spacing:-.01em}
.reference{font-size:.8125rem;color:#55665e;overflow-wrap:anywhere}
.body{padding:1.25rem}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.3;overflow-wrap:anywhere}
h2{margin:0 0 .25rem;font-size:1rem}
p{margin:0 0 .75rem}
h1,.said p,.note{text-wrap:balance}
strong{display:block;margin-top:.5rem}
.word{white-space:nowrap}
a{color:#0a5c36}
.said{text-align:center}
.said:focus{outline:0}
.mark{display:block;width:4rem;height:4rem;margin:.25rem auto 1rem}
.label{display:block;font-weight:600}
.hint{margin:.125rem 0 .5rem;font-size:.875rem;color:#4c5d55}
input{display:block;width:100%;min-height:3.25rem;padding:.5rem .875rem;font:inherit;font-size:1.25rem;letter-spacing:.02em;color:inherit;background:#fff;border:2px solid #6b7f75;border-radius:10px}
button,.button{display:block;width:100%;min-height:3.25rem;margin:1rem 0 .25rem;padding:.75rem 1rem;font:inherit;font-size:1.125rem;font-weight:600;text-align:center;text-decoration:none;color:#fff;background:#0a7a45;border:0;border-radius:10px;cursor:pointer}
button:hover,.button:hover{background:#086338}
button[aria-disabled]{background:#55665e}
.second{display:block;padding:.75rem;text-align:center}
.note{margin:.75rem 0 0;font-size:.875rem;color:#4c5d55;text-align:center}
.problem{margin:0 0 1.25rem;padding:.75rem 1rem;border-left:5px solid #b3261e;border-radius:4px;background:#fdf1f0}
.problem ul{margin:0;padding:0;list-style:none}
.problem a,.wrong{color:#a01c15}
.wrong{margin:0 0 .5rem;font-weight:600}
.invalid{border-color:#b3261e}
.receipt{margin:0 0 1rem;padding:.75rem;border-radius:10px;background:#f7faf8;text-align:center}
.receipt dt{font-size:.8125rem;color:#4c5d55}
.receipt dd{margin:0;font-size:1.25rem;font-weight:600;letter-spacing:.04em}
.told{margin:1.25rem 0 0;padding-top:.75rem;border-top:1px solid #d6ded9;font-size:.8125rem;color:#55665e;overflow-wrap:anywhere}
:focus-visible{outline:3px solid #1457c8;outline-offset:2px}
.dot{animation:dot 1.4s infinite both}
.dot+.dot{animation-delay:.2s}
.dot+.dot+.dot{animation-delay:.4s}
@keyframes dot{0%,80%,100%{opacity:.25}40%{opacity:1}}
@media (prefers-reduced-motion:reduce){.dot{animation:none}}
@media (max-width:20rem){.amount{font-size:1.375rem}.body{padding:1rem .75rem}}
@media (min-width:30rem){.page{padding-top:2rem}}
@media (prefers-color-scheme:dark){
body{color:#e9efeb;background:#0e1311}
main{background:#161d1a;border-color:#2b3731}
.order,.receipt{background:#212b26}
.order{border-color:#2b3731}
.told{border-color:#2b3731}
.demo{color:#f4c36b}
.reference,.hint,.note,.receipt dt,.told{color:#a3b2aa}
a{color:#5fd39b}
input{background:#0e1311;border-color:#75847c}
button,.button{color:#06170f;background:#5fd39b}
button:hover,.button:hover{background:#86dcb0}
button[aria-disabled]{background:#a3b2aa}
.problem{background:#3a1d1a;border-color:#ffa79f}
.problem a,.wrong{color:#ffa79f}
.invalid{border-color:#ffa79f}
:focus-visible{outline-color:#8ab4ff}
.mark-phone .disc{fill:#123024}
.mark-phone rect{fill:#161d1a}
.mark-phone .line{stroke:#5fd39b}
.mark-phone .spot{fill:#5fd39b}
.mark-paid .disc{fill:#5fd39b}
.mark-paid .line{stroke:#06170f}
.mark-failed .disc{fill:#3a1d1a}
.mark-failed .line{stroke:#ffa79f}
.mark-attention .disc{fill:#33270f}
.mark-attention .line{stroke:#f4c36b}
.mark-attention .spot{fill:#f4c36b}
}
`.trim();

/** Exactly the text that `pagePolicy` allows. */
export const styleElement = new Html(`<style>${style}</style>`);

/** Allows the page to load only its own style and script. No other page may frame it. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
