/**
 * Resets, tokens and plain elements. Each colour is a pair, for the light and the dark scheme; every text has a contrast
 * of at least 4.7, every control's border 3.4.
 */
export const base = `
@layer reset {
  *, ::before, ::after { box-sizing: border-box; }
  html { -webkit-text-size-adjust: 100%; }
  body, h1, h2, h3, p, ul, ol, dl, dd, figure, pre, fieldset { margin: 0; padding: 0; }
  fieldset { border: 0; min-width: 0; }
  button, input, select, textarea { font: inherit; color: inherit; }
  [hidden] { display: none !important; }
}
@layer tokens {
  :root {
    color-scheme: light dark;
    --canvas: #f6f7f6; --surface: #ffffff; --sunken: #eef1ef;
    --line: #e2e7e4; --border: #7b8882; --ink: #14201a; --soft: #55635c;
    --accent: #0a7a45; --on-accent: #ffffff; --accent-tint: #e5f3eb;
    --good: #0b6138; --good-tint: #e5f3eb; --bad: #a01c15; --bad-tint: #fdecea;
    --wait: #7a4a00; --wait-tint: #fff1d6; --info: #1d4f91; --info-tint: #e8f0fb; --focus: #1457c8;
    --mono: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
    --icon-check: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 8.5l3.2 3.2L13 4.8' fill='none' stroke='%23000' stroke-width='2.2'/%3E%3C/svg%3E");
    --icon-cross: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M4 4l8 8M12 4l-8 8' fill='none' stroke='%23000' stroke-width='2.2'/%3E%3C/svg%3E");
    --icon-wait: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='6' fill='none' stroke='%23000' stroke-width='2'/%3E%3Cpath d='M8 4.6V8l2.2 1.6' fill='none' stroke='%23000' stroke-width='2'/%3E%3C/svg%3E");
    --icon-edit: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M3 13l.6-3L10.4 3.2l2.4 2.4L6 12.4zM9 4.6L11.4 7' fill='none' stroke='%23000' stroke-width='1.6'/%3E%3C/svg%3E");
    --icon-menu: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 4h12M2 8h12M2 12h12' stroke='%23000' stroke-width='1.8'/%3E%3C/svg%3E");
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --canvas: #0e1311; --surface: #161d1a; --sunken: #212b26;
      --line: #2b3731; --border: #75847c; --ink: #e9efeb; --soft: #a3b2aa;
      --accent: #5fd39b; --on-accent: #06170f; --accent-tint: #123024;
      --good: #86dcb0; --good-tint: #12291e; --bad: #ffa79f; --bad-tint: #3a1d1a;
      --wait: #f4c36b; --wait-tint: #33270f; --info: #9cc2ff; --info-tint: #16263d; --focus: #8ab4ff;
    }
  }
  @media (min-width: 120rem) { html { font-size: 112.5%; } }
}
@layer base {
  html { scroll-padding-top: 4.5rem; }
  body { font: 400 1rem/1.55 system-ui, -apple-system, Roboto, "Segoe UI", sans-serif; color: var(--ink); background: var(--surface); }
  @media (min-width: 64rem) { body { font-size: .9375rem; } }
  h1 { font-size: 2rem; line-height: 1.2; font-weight: 600; letter-spacing: -.015em; }
  h2 { font-size: 1.5rem; line-height: 1.25; font-weight: 600; letter-spacing: -.01em; }
  h3 { font-size: .9375rem; line-height: 1.35; font-weight: 600; margin-top: 1.5rem; }
  h1, h2, h3, p, li, dt, dd, td, summary, figcaption { overflow-wrap: anywhere; }
  b, strong { font-weight: 600; }
  a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .18em; }
  a:hover { text-decoration-thickness: 2px; }
  code { font: .9em var(--mono); overflow-wrap: anywhere; }
  :not(pre) > code { padding: .08em .3em; border-radius: 4px; background: var(--sunken); }
  a:has(> code) { text-underline-offset: .4em; }
  a > code { color: inherit; background: none; padding: 0; }
  ul, ol { padding-left: 1.25rem; }
  li { margin-top: .35rem; }
  small, .soft { color: var(--soft); }
  small { font-size: .8125rem; }
  :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
  main:focus { outline: 0; }
  @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
}
`;
