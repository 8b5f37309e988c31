/** The page's style, in the reader's light or dark colours, with one column on a phone. */
export const style = `:root { color-scheme: light dark; --ink: light-dark(#1d2430, #e4e8ee); --paper: light-dark(#fff, #14181f); --tint: light-dark(#f2f5f9, #1e242e); --line: light-dark(#d5dce6, #36404f); --link: light-dark(#0b5cad, #7db8ff); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; font: 1rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { margin: 0; font-size: 1.7rem; }
h2 { margin-top: 2.5rem; padding-top: .5rem; border-top: 1px solid var(--line); font-size: 1.35rem; }
h3 { margin-top: 2.5rem; font-size: 1.1rem; overflow-wrap: anywhere; }
h4 { margin-bottom: .4rem; }
a { color: var(--link); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: .7rem .9rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--tint); overflow-x: auto; }
pre code { overflow-wrap: normal; white-space: pre; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th, td { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 5rem; }
td:last-child { min-width: 14rem; }
nav ul { padding: 0; columns: 17rem; list-style: none; }
details { margin: .3rem 0; padding: .3rem .7rem; border: 1px solid var(--line); border-radius: .4rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.form { display: grid; gap: .7rem; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); }
label { display: grid; gap: .2rem; font-size: .9rem; }
input, select, textarea, button { padding: .45rem; border: 1px solid var(--line); border-radius: .3rem; font: .95rem ui-monospace, monospace; color: inherit; background: var(--tint); width: 100%; }
button { align-self: end; font-family: inherit; cursor: pointer; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
#sign-problem { color: light-dark(#a3211b, #ff9d94); }
dl { display: grid; gap: .2rem; }
dt { font-weight: 600; margin-top: .6rem; }
dd { margin: 0; min-width: 0; }
dd pre { margin: .2rem 0; min-height: 2.8rem; }
@media (max-width: 40rem) {
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0; border: 0; }
}
`;
