/** The parts from which pages are made. */
export const components = `
@layer components {
  .skip { position: absolute; left: -100vw; top: 0; z-index: 3; padding: .75rem 1rem; background: var(--surface); }
  .skip:focus { left: 0; }
  .button, button { display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem; padding: .35rem 1rem; border: 1px solid var(--border); border-radius: 6px; background: var(--surface); color: var(--ink); font-weight: 500; text-decoration: none; cursor: pointer; }
  .button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); margin: .25rem .25rem .25rem 0; }
  .button.plain { background: none; border-color: var(--border); color: var(--ink); }
  button:hover, .button.plain:hover { background: var(--sunken); }
  .button:not(.plain):hover { filter: brightness(1.08); }
  input:not([type=radio], [type=checkbox]), select, textarea { width: 100%; min-height: 2.75rem; padding: .4rem .6rem; border: 1px solid var(--border); border-radius: 6px; background: var(--surface); font-size: 1rem; }
  input[type=checkbox] { accent-color: var(--accent); }
  .mark { width: 1.75rem; height: 1.75rem; flex: none; }
  .stamp { fill: var(--accent); }
  .mark .tick { fill: none; stroke: var(--on-accent); stroke-width: 2.4; }

  .sample { border: 1px solid var(--line); border-radius: 10px; background: var(--canvas); overflow: hidden; }
  .sample figcaption { display: flex; align-items: center; justify-content: space-between; gap: .5rem; min-height: 2.75rem; padding: .25rem .35rem .25rem .9rem; border-bottom: 1px solid var(--line); font-size: .8125rem; font-weight: 500; color: var(--soft); }
  .sample figcaption a { color: inherit; }
  .copy { min-height: 2.25rem; padding: .1rem .7rem; border-color: transparent; background: none; color: inherit; font-size: .8125rem; }
  pre { overflow-x: auto; font: .8125rem/1.6 var(--mono); tab-size: 2; }
  pre:focus-visible { outline-offset: -3px; }
  .sample pre { padding: .75rem .9rem; }
  pre code { font: inherit; overflow-wrap: normal; }
  .t { color: var(--good); }
  .c { color: var(--soft); }

  .method { display: inline-block; padding: .05rem .4rem; border-radius: 99px; font: 600 .6875rem/1.5 var(--mono); }
  .method.get { color: var(--info); background: var(--info-tint); }
  .method.post { color: var(--good); background: var(--good-tint); }
  .endpoint { display: flex; flex-wrap: wrap; gap: .35rem .6rem; align-items: center; }
  .endpoint code { padding: 0; background: none; font-size: .875rem; }

  .badge { display: inline-flex; gap: .35em; align-items: center; padding: .1rem .6rem .1rem .45rem; border-radius: 99px; font-size: .8125rem; font-weight: 500; white-space: nowrap; }
  .badge::before { content: ""; width: .8rem; height: .8rem; background: currentColor; mask: var(--icon-check) center / contain no-repeat; }
  .badge.yes, .badge.completed { color: var(--good); background: var(--good-tint); }
  .badge.pending { color: var(--wait); background: var(--wait-tint); }
  .badge.after_change { color: var(--soft); background: var(--sunken); }
  .badge.after_change::before { mask-image: var(--icon-edit); }
  .badge.pending::before { mask-image: var(--icon-wait); }
  .badge.no, .badge.failed { color: var(--bad); background: var(--bad-tint); }
  .badge.no::before, .badge.failed::before { mask-image: var(--icon-cross); }

  .note { padding: .75rem 1rem; border-radius: 10px; }
  .note.info { color: var(--info); background: var(--info-tint); }
  .note.wait { color: var(--wait); background: var(--wait-tint); }
  .note.bad { color: var(--bad); background: var(--bad-tint); }
  .note code { background: none; padding: 0; font-weight: 500; }
  .note a { color: inherit; }

  .fields, .errors { border-top: 1px solid var(--line); }
  .fields > div, .errors > div { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .fields dt code, .errors dt code { padding: 0; background: none; font-weight: 600; font-size: .875rem; }
  .fields dt span, .errors dt span { margin-left: .25rem; font-size: .8125rem; color: var(--soft); }
  .fields dd, .errors dd { margin-top: .1rem; }
  @media (min-width: 64rem) { .errors > div { display: grid; grid-template-columns: minmax(0, 14.5rem) minmax(0, 1fr); gap: 1rem; padding: .45rem 0; } .errors dd { margin: 0; } }
  details { border: 1px solid var(--line); border-radius: 10px; }
  details .fields { padding: 0 .9rem; }
  details .fields > div:last-child { border-bottom: 0; }
  summary { display: flex; align-items: center; min-height: 2.75rem; padding: .25rem .9rem; cursor: pointer; font-weight: 500; }
  summary::before { content: "+"; width: 1.1rem; font-family: var(--mono); color: var(--soft); }
  [open] > summary::before { content: "–"; }

  table { width: 100%; border-collapse: collapse; font-size: .875rem; }
  caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  th { padding: .5rem 1rem .5rem 0; font-size: .8125rem; font-weight: 500; text-align: left; color: var(--soft); border-bottom: 1px solid var(--line); }
  @media (min-width: 48rem) { td small { display: block; } }
  td { padding: .7rem 1.25rem .7rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
  td:first-child code { font-weight: 500; overflow-wrap: normal; white-space: nowrap; }
  @media (min-width: 48rem) { [class^=errors-of] { table-layout: fixed; } [class^=errors-of] th:nth-child(1) { width: 27%; } [class^=errors-of] th:nth-child(2) { width: 28%; } [class^=errors-of] th:nth-child(4) { width: 8.75rem; } }
  tr:target td, li:target { background: var(--info-tint); }
  @media (max-width: 47.99rem) {
    table, tbody, tr, td { display: block; }
    table { font-size: inherit; }
    thead { display: none; }
    tr { padding: .75rem 0; border-bottom: 1px solid var(--line); }
    td { padding: .15rem 0; border: 0; }
    td:not(:first-child)::before { content: attr(data-label) ": "; color: var(--soft); font-size: .8125rem; }
  }
}
`;
