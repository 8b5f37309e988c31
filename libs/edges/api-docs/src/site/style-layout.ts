import { languages } from './languages.js';

/** The frame of a page: the bar, the sidebar and the rows of prose with their samples. */
export const layout = `
@layer pages {
  .top { position: sticky; top: 0; z-index: 2; display: flex; gap: .5rem 1rem; align-items: center; min-height: 3.5rem; padding: 0 1rem; border-bottom: 1px solid var(--line); background: var(--surface); }
  .brand { display: inline-flex; gap: .5rem; align-items: center; min-height: 2.75rem; font-size: 1rem; font-weight: 600; text-decoration: none; color: var(--ink); }
  .brand .product { font-weight: 400; color: var(--soft); }
  .machine { display: none; color: var(--soft); font-size: .875rem; }
  .portal { display: inline-flex; align-items: center; min-height: 2.75rem; margin-left: auto; font-size: .875rem; font-weight: 500; text-decoration: none; }
  .portal:hover { text-decoration: underline; }
  .machine + .portal, .languages ~ .portal { margin-left: 0; }
  .menu { gap: .5rem; margin-left: -.5rem; padding: .35rem .6rem; border-color: transparent; }
  .menu::before { content: ""; width: 1rem; height: 1rem; background: currentColor; mask: var(--icon-menu) center / contain no-repeat; }

  .languages { display: none; margin-left: auto; }
  @supports selector(html:has(a)) {
    .languages { display: block; }
    ${languages.map(({ id }) => `html:has(#language [value=${id}]:checked) [class*=sample-]:not(.sample-${id})`).join(', ')} { display: none; }
  }
  .languages > span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .languages select { width: auto; padding-block: .2rem; font-size: .875rem; cursor: pointer; }

  .sidebar { inset: 0 auto 0 0; width: min(20rem, 85vw); height: 100%; max-height: none; margin: 0; padding: 1rem; border: 0; border-right: 1px solid var(--line); color: inherit; background: var(--surface); overflow-y: auto; overscroll-behavior: contain; }
  .sidebar::backdrop { background: rgb(0 0 0 / .4); }
  .sidebar h2 { margin: 1.25rem 0 .25rem; padding: 0 .75rem; font-size: .75rem; font-weight: 600; letter-spacing: .02em; color: var(--soft); }
  .sidebar section:first-of-type h2 { margin-top: 0; }
  .sidebar ul { padding: 0; list-style: none; }
  .sidebar li { margin: 0; }
  .sidebar a { display: flex; gap: .5rem; align-items: center; justify-content: space-between; min-height: 2.75rem; padding: .25rem .75rem; border-radius: 6px; text-decoration: none; color: var(--ink); }
  .sidebar a:hover { background: var(--sunken); }
  .sidebar [aria-current] { font-weight: 500; color: var(--accent); background: var(--accent-tint); }
  .calls { margin-left: .75rem; border-left: 1px solid var(--line); }
  .calls a { color: var(--soft); font-size: .875em; }
  .calls .method { flex: none; padding: .05rem .3rem; font-size: .625rem; }
  .filter { margin-bottom: 1rem; }
  .filter label { display: block; margin-bottom: .25rem; padding: 0 .1rem; font-size: .8125rem; font-weight: 500; }
  .filter p { min-height: 1.2rem; padding: .15rem; font-size: .75rem; color: var(--soft); }

  main { min-width: 0; padding: 1.5rem 1rem 3rem; }
  .home { max-width: 46rem; margin: 0 auto; padding-top: 3rem; }
  .home h2 { margin: 2rem 0 .5rem; }
  .home p, .lead p { margin-top: .75rem; }
  .row { display: grid; gap: 1rem 3rem; grid-template-columns: minmax(0, 1fr); padding: 2rem 0; border-top: 1px solid var(--line); scroll-margin-top: 3.5rem; }
  .opening { padding-top: .5rem; border: 0; }
  .prose { min-width: 0; }
  .prose > * + * { margin-top: .85rem; }
  .prose > h3 { margin-top: 1.75rem; }
  .prose > h3 + * { margin-top: .5rem; }
  .prose h2 a { color: inherit; text-decoration: none; }
  .prose h2 a:hover { text-decoration: underline; }
  .lead { font-size: 1.0625rem; color: var(--soft); }
  .lead .button { font-size: .9375rem; }
  .samples { display: grid; gap: 1rem; min-width: 0; align-content: start; grid-template-columns: minmax(0, 1fr); }
  .contents { align-self: start; padding-left: 1rem; border-left: 1px solid var(--line); }
  .contents details { border: 0; }
  .contents summary { padding: 0; font-size: .8125rem; color: var(--soft); }
  .contents ul { padding: 0; list-style: none; }
  .contents li { margin: 0; }
  .contents a { display: flex; align-items: center; min-height: 2.75rem; text-decoration: none; }
  .contents a:hover { text-decoration: underline; }
  .neighbours { display: flex; flex-wrap: wrap; gap: 1rem; padding-top: 2rem; border-top: 1px solid var(--line); }
  .neighbours a { flex: 1 1 12rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 10px; font-weight: 500; text-decoration: none; }
  .neighbours a:hover { border-color: var(--border); }
  .neighbours small { display: block; font-weight: 400; }
  .neighbours [rel=next] { text-align: right; }

  .cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 17rem), 1fr)); padding: 0; list-style: none; }
  .cards li { position: relative; margin: 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: 10px; }
  .cards li:hover { border-color: var(--border); }
  .cards a { display: block; font-weight: 500; text-decoration: none; }
  .cards a::after { content: ""; position: absolute; inset: 0; }
  .cards span { color: var(--soft); font-size: .875rem; }
  .all-calls { padding: 0; list-style: none; border-top: 1px solid var(--line); }
  .all-calls li { display: flex; flex-wrap: wrap; gap: .1rem 1rem; align-items: center; justify-content: space-between; margin: 0; padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .all-calls a { display: inline-flex; align-items: center; min-height: 2rem; font-weight: 500; text-decoration: none; }
  .all-calls a:hover { text-decoration: underline; }
  .all-calls code { padding: 0; background: none; color: var(--soft); font-size: .8125rem; }

  .checklist { padding: 0; list-style: none; }
  .checklist li { display: flex; gap: .75rem; margin: 0; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .checklist input { width: 1.5rem; height: 1.5rem; flex: none; margin: .15rem 0 0; }
  .checklist label { font-weight: 500; cursor: pointer; }
  .checklist li:has(:checked) label { color: var(--soft); text-decoration: line-through; }
  .checklist p { color: var(--soft); }

  .walk { display: grid; gap: .75rem; max-width: 60rem; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); }
  .walk label { display: grid; gap: .25rem; min-width: 0; align-content: start; font-weight: 500; font-size: .875rem; }
  .walk :is(input, select, textarea) { font-family: var(--mono); font-size: 1rem; }
  .walk button { align-self: end; }
  #sign-problem { color: var(--bad); }
  .walk + p + dl, .walk + p + dl dd { min-width: 0; }
  .walk + p + dl { max-width: 60rem; }
  .walk + p + dl dt { margin-top: .75rem; font-size: .875rem; font-weight: 500; }
  .walk + p + dl dd { margin-top: .25rem; }
  .walk + p + dl pre { min-height: 2.6rem; padding: .6rem .9rem; border: 1px solid var(--line); border-radius: 10px; background: var(--canvas); }

  @media (max-width: 29.99rem) { .top { gap: .25rem; } .product { display: none; } }
  /* The mark alone, which keeps its name for a screen reader. */
  @media (max-width: 23.99rem) { .top:has(.languages) .brand { font-size: 0; } }
  @media (max-width: 63.99rem) { .copy { min-height: 2.75rem; } }
  @media (min-width: 40rem) { .machine { display: inline-flex; align-items: center; min-height: 2.75rem; } .languages + .machine { margin-left: 0; } .machine { margin-left: auto; } }
  @media (max-width: 39.99rem) { :not(.languages) + .machine + .portal { margin-left: auto; } }
  @media (min-width: 64rem) {
    .top { padding: 0 max(1.5rem, calc(50% - 47rem)); }
    .menu { display: none; }
    .frame { display: grid; grid-template-columns: 16rem minmax(0, 1fr); max-width: 97rem; margin: 0 auto; }
    .sidebar { position: sticky; display: block; inset: auto; top: 3.5rem; width: auto; height: calc(100vh - 3.5rem); padding: 1.5rem .75rem 3rem; }
    .sidebar a { min-height: 2rem; padding-block: .15rem; }
    .contents a { min-height: 1.9rem; }
    .filter input { min-height: 2.25rem; font-size: .875rem; }
    main { padding: 2rem 2rem 4rem; }
    .row { padding: 2.75rem 0; }
    .opening { padding: .5rem 0 2rem; }
    .languages select { min-height: 2.25rem; }
    .row > .prose { max-width: 42rem; }
    .row.wide > .prose { max-width: 60rem; }
  }
  @media (min-width: 75rem) {
    .row { grid-template-columns: minmax(0, 42fr) minmax(0, 32fr); max-width: 77rem; }
    .row.wide { grid-template-columns: minmax(0, 1fr); }
    .row.wide > .prose { max-width: none; }
    .row.wide > .prose > :is(p, ul:not([class]), ol) { max-width: 42rem; }
    .samples { position: sticky; top: 4.75rem; max-height: calc(100vh - 6rem); overflow-y: auto; align-self: start; border-radius: 10px; }
    .row.wide > .samples { position: static; max-height: none; max-width: 60rem; }
    .contents { position: static; }
  }
  @supports selector(::details-content) {
    @media (min-width: 64rem) {
      .contents summary { display: none; }
      .contents::before { content: "On this page"; font-size: .8125rem; font-weight: 500; color: var(--soft); }
      .contents details::details-content { display: block; content-visibility: visible; height: auto; }
    }
  }
  @media print { .top, .sidebar, .neighbours, .copy, .skip { display: none; } }
}
`;
