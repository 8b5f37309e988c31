import { createHash } from 'node:crypto';
import { Html, html } from '#shared/html';

/** Light and dark; every text has a contrast of 4.5 or more, and what can be touched is 48 pixels high. */
const style = `
:root{color-scheme:light dark;--back:#f3f5f4;--paper:#fff;--ink:#17231d;--soft:#4a5a52;--line:#6b7f75;--act:#0a5c36;--act-ink:#fff;--bad:#a01c15;--focus:#1457c8}
@media (prefers-color-scheme:dark){:root{--back:#101613;--paper:#19211d;--ink:#e8eeea;--soft:#a9b8b0;--line:#8fa298;--act:#7fd6a8;--act-ink:#08170f;--bad:#ffa79f;--focus:#8ab4ff}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;font:1rem/1.5 system-ui,-apple-system,Roboto,"Segoe UI",sans-serif;color:var(--ink);background:var(--back)}
main{display:block;max-width:26rem;margin:0 auto;padding:1.5rem 1rem}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:0 0 1rem;overflow-wrap:anywhere}
form{margin:0 0 1rem}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
.hint{color:var(--soft);font-size:.875rem}
input:not([type=hidden]){display:block;width:100%;min-height:3rem;padding:.5rem .75rem;font:inherit;color:inherit;background:var(--paper);border:2px solid var(--line);border-radius:.5rem}
button{display:block;width:100%;min-height:3rem;margin:1.25rem 0 0;padding:.5rem 1rem;font:inherit;font-weight:600;color:var(--act-ink);background:var(--act);border:2px solid var(--act);border-radius:.5rem;cursor:pointer}
button.second{margin-top:.75rem;color:var(--ink);background:none;border-color:var(--line)}
.problem{padding:.75rem 1rem;border-left:.3rem solid var(--bad);background:var(--paper);color:var(--bad);font-weight:600}
.code{font-size:1.5rem;letter-spacing:.1em}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
`.trim();

const styleElement = new Html(`<style>${style}</style>`);
const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * What every page may load, and where its forms may lead: here, and on to the portal. The provider's library adds the
 * digest of the one script that it has, which sends a form that a button sends as well.
 */
export function pageHeaders(portalOrigin: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      "script-src 'self'",
      'img-src data:',
      `form-action 'self' ${portalOrigin}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}

/** The whole document. */
export function page(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} – PesaPost demo</title>
        <link rel="icon" href="data:," />
        ${styleElement}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}

/** What is wrong with what was sent, read aloud at once. */
function problemOf(problem: string | undefined): Html | undefined {
  return problem === undefined
    ? undefined
    : html`<p class="problem" role="alert" id="problem">${problem}</p>`;
}

export interface SignInForm {
  readonly action: string;
  /** As it was typed before. */
  readonly login?: string;
  readonly problem?: string;
  /** The person is signed in and proves presence anew. */
  readonly isAnew?: boolean;
}

export function signInPage({ action, login = '', problem, isAnew = false }: SignInForm): string {
  const described = problem === undefined ? undefined : html` aria-describedby="problem"`;
  const [ofLogin, ofPassword] = login === '' ? [focus, undefined] : [undefined, focus];
  return page(
    isAnew ? 'Confirm that it is you' : 'Sign in',
    html`${problemOf(problem)}
      <form method="post" action="${action}">
        <label for="login">Login</label>
        <input
          id="login"
          name="login"
          value="${login}"
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          maxlength="100"
          required${ofLogin}${described}
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength="200"
          required${ofPassword}${described}
        />
        <button type="submit">${isAnew ? 'Confirm' : 'Sign in'}</button>
      </form>
      <form method="post" action="${action}/abort">
        <button class="second" type="submit">Go back without signing in</button>
      </form>
      <p class="hint">
        The people of this demonstration stand in demo.json, in the folder of its data.
      </p>`,
  );
}

const focus = html` autofocus`;

export interface DeviceForm {
  readonly action: string;
  readonly xsrf: string;
  readonly code?: string;
  readonly problem?: string;
}

export function deviceCodePage({ action, xsrf, code = '', problem }: DeviceForm): string {
  return page(
    'Sign in a command line',
    html`${problemOf(problem)}
      <form method="post" action="${action}">
        <input type="hidden" name="xsrf" value="${xsrf}" />
        <label for="user_code">The code that the command line shows</label>
        <input
          id="user_code"
          name="user_code"
          value="${code}"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="20"
          required
          autofocus
        />
        <button type="submit">Go on</button>
      </form>`,
  );
}

export function deviceConfirmPage({ action, xsrf, code = '' }: DeviceForm): string {
  return page(
    'Is this your command line?',
    html`<p>It shows this code:</p>
      <p class="code">${code}</p>
      <p>If you did not ask for it, somebody wants to act in your name: refuse.</p>
      <form method="post" action="${action}">
        <input type="hidden" name="xsrf" value="${xsrf}" />
        <input type="hidden" name="user_code" value="${code}" />
        <input type="hidden" name="confirm" value="yes" />
        <button type="submit">It is mine: sign it in</button>
        <button class="second" type="submit" name="abort" value="yes">Refuse</button>
      </form>`,
  );
}

/** @param form of the library, whose buttons stand here */
export function signOutPage(xsrf: string, action: string): string {
  return page(
    'Sign out',
    html`<p>You are still signed in at the provider of identities.</p>
      <form method="post" action="${action}">
        <input type="hidden" name="xsrf" value="${xsrf}" />
        <button type="submit" name="logout" value="yes">Sign out</button>
        <button class="second" type="submit">Stay signed in</button>
      </form>`,
  );
}

export function messagePage(title: string, message: string): string {
  return page(title, html`<p>${message}</p>`);
}
