import { createHash } from 'node:crypto';
import { brandMark, Html, html } from '#shared/html';
import { passkeyScriptPath } from './passkey-script.js';
import { type Said } from './texts.js';

/** Light and dark, in the colours of the portal. Every text has a contrast of 4.5 or more. */
const style = `
:root{color-scheme:light dark;--canvas:light-dark(#f6f7f6,#0e1311);--surface:light-dark(#fff,#161d1a);--line:light-dark(#e2e7e4,#2b3731);--control:light-dark(#7b8882,#75847c);--ink:light-dark(#14201a,#e9efeb);--soft:light-dark(#55635c,#a3b2aa);--accent:light-dark(#0a7a45,#5fd39b);--on-accent:light-dark(#fff,#06170f);--bad:light-dark(#a01c15,#ffa79f);--bad-tint:light-dark(#fdecea,#3a1d1a);--focus:light-dark(#1457c8,#8ab4ff)}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{display:grid;min-height:100vh;margin:0;padding:1.5rem 1rem;place-content:safe center;grid-template-columns:minmax(0,30rem);font:.9375rem/1.5 system-ui,-apple-system,Roboto,"Segoe UI",sans-serif;color:var(--ink);background:var(--canvas)}
main{padding:2rem;background:var(--surface);border:1px solid var(--line);border-radius:10px}
.brand{display:flex;gap:.5rem;align-items:center;margin:0 0 1.5rem;font-size:1rem;font-weight:600}
.mark{width:1.75rem;height:1.75rem}
.stamp{fill:var(--accent)}
.tick{fill:none;stroke:var(--on-accent);stroke-width:2.4}
h1{margin:0 0 1rem;font-size:1.5rem;font-weight:600;line-height:1.25;overflow-wrap:anywhere}
p{margin:0 0 1rem;overflow-wrap:anywhere}
form{margin:0}
label{display:block;margin:1rem 0 .25rem;font-weight:500}
.hint{margin:1.5rem 0 0;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);font-size:.8125rem}
input:not([type=hidden]){display:block;width:100%;min-height:2.75rem;padding:.5rem .75rem;font:inherit;font-size:1rem;color:inherit;background:var(--surface);border:1px solid var(--control);border-radius:6px}
button{display:block;width:100%;min-height:2.75rem;margin:1.25rem 0 0;padding:.5rem 1rem;font:inherit;font-weight:500;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:6px;cursor:pointer}
button:hover{filter:brightness(.95)}
button.second{margin-top:.75rem;color:inherit;background:none;border-color:var(--control)}
button.plain{margin-top:.75rem;color:var(--soft);background:none;border-color:transparent}
button.plain:hover{text-decoration:underline}
.problem{padding:.75rem 1rem;border-radius:6px;background:var(--bad-tint);color:var(--bad);font-weight:500}
.code{font-size:1.5rem;letter-spacing:.1em}
.check{display:flex;gap:.75rem;align-items:center;min-height:2.75rem;font-weight:400}
.check input:not([type=hidden]){width:1.25rem;min-height:1.25rem;flex:none;margin:0}
[hidden]{display:none!important}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
@media (max-width:30rem){body{place-content:start stretch}main{padding:1.5rem 1rem}}
`.trim();

const styleElement = new Html(`<style>${style}</style>`);
const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * Limits the origins that a page may load from and that its forms may lead to: this one and the portal. The only script
 * of our pages is for passkeys. The provider's library adds the digest of its own script, which submits a form that
 * also has a button.
 */
export function pageHeaders(portalOrigin: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      "script-src 'self'",
      'img-src data:',
      // Browsers apply this to the redirects of a form's answer, and the command line listens on a port of its own.
      `form-action 'self' ${portalOrigin} http://127.0.0.1:*`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}

/** Returns the whole document. */
function page(
  { language }: Said,
  { title, content, scripts = false }: { title: string; content: Html; scripts?: boolean },
): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} – PesaPost demo</title>
        <link rel="icon" href="data:," />
        ${styleElement}
        ${scripts ? html`<script type="module" src="${passkeyScriptPath}"></script>` : undefined}
      </head>
      <body>
        <main>
          <p class="brand">${brandMark} PesaPost</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `.text;
}

/** Shows the problem with the form's input; screen readers read it at once. */
function problemOf(problem: string | undefined): Html | undefined {
  return problem === undefined
    ? undefined
    : html`<p class="problem" role="alert" id="problem">${problem}</p>`;
}

/** Shows a problem that only the script can find; screen readers read it at once. */
function passkeyProblem(text: string): Html {
  return html`<p class="problem" role="alert" id="passkey-problem" hidden>${text}</p>`;
}

export interface SignInForm {
  readonly action: string;
  /** The login as typed before. */
  readonly login?: string;
  readonly problem?: string;
  /** True if the person is signed in and proves presence again. */
  readonly isAnew?: boolean;
  /** The request to the browser, as JSON; undefined if no person has a passkey. */
  readonly options?: string | undefined;
  /** True if only a passkey is accepted. */
  readonly isPasskeyWanted?: boolean;
}

export function signInPage(said: Said, form: SignInForm): string {
  const { texts } = said;
  const { action, problem, isAnew = false, options, isPasskeyWanted = false } = form;
  const wanted = isPasskeyWanted && options !== undefined;
  return page(said, {
    title: isAnew ? texts.confirm : texts.signIn,
    scripts: true,
    content: html`${problemOf(problem)} ${passkeyProblem(texts.passkeyFailed)}
      <form method="post" action="${action}" data-passkey="get" data-options="${options ?? ''}">
        <input type="hidden" name="credential" />
        ${wanted ? passkeyFields(said) : passwordFields(said, form)}
        ${
          options === undefined
            ? undefined
            : html`<button
                type="button"
                id="use-passkey"
                ${wanted ? undefined : html`class="second"`}
                data-script
                hidden
              >
                ${texts.passkeyButton}
              </button>`
        }
      </form>
      <form method="post" action="${action}/abort">
        <button class="plain" type="submit">${texts.abortButton}</button>
      </form>
      <p class="hint">${texts.where}</p>`,
  });
}

function passkeyFields({ texts }: Said): Html {
  return html`<p>${texts.passkeyWanted}</p>
    <p class="problem" data-no-script>${texts.passkeyNeedsScript}</p>`;
}

function passwordFields(
  { texts }: Said,
  { login = '', problem, isAnew = false }: SignInForm,
): Html {
  const described = problem === undefined ? undefined : html` aria-describedby="problem"`;
  const [ofLogin, ofPassword] = login === '' ? [focus, undefined] : [undefined, focus];
  return html`<label for="login">${texts.login}</label>
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
    <label for="password">${texts.password}</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="current-password"
      maxlength="200"
      required${ofPassword}${described}
    />
    ${
      isAnew
        ? undefined
        : html`<label class="check" data-script hidden>
            <input type="checkbox" name="add_passkey" value="yes" /> ${texts.addPasskey}
          </label>`
    }
    <button type="submit">${isAnew ? texts.confirmButton : texts.signInButton}</button>`;
}

const focus = html` autofocus`;

/** @param options the request to create a passkey, as JSON */
export function newPasskeyPage(
  said: Said,
  { action, options, problem }: { action: string; options: string; problem?: string },
): string {
  const { texts } = said;
  return page(said, {
    title: texts.newPasskey,
    scripts: true,
    content: html`${problemOf(problem)} ${passkeyProblem(texts.notAdded)}
      <p>${texts.newPasskeyWhy}</p>
      <form
        method="post"
        action="${action}/passkey"
        data-passkey="create"
        data-options="${options}"
      >
        <input type="hidden" name="credential" />
        <button type="button" id="use-passkey" data-script hidden>${texts.createButton}</button>
      </form>
      <form method="post" action="${action}/passkey">
        <button class="second" type="submit">${texts.skipButton}</button>
      </form>`,
  });
}

export interface DeviceForm {
  readonly action: string;
  readonly xsrf: string;
  readonly code?: string;
  readonly problem?: string;
}

export function deviceCodePage(
  said: Said,
  { action, xsrf, code = '', problem }: DeviceForm,
): string {
  const { texts } = said;
  return page(said, {
    title: texts.commandLine,
    content: html`${problemOf(problem)}
      <form method="post" action="${action}">
        <input type="hidden" name="xsrf" value="${xsrf}" />
        <label for="user_code">${texts.code}</label>
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
        <button type="submit">${texts.codeButton}</button>
      </form>`,
  });
}

export function deviceConfirmPage(said: Said, { action, xsrf, code = '' }: DeviceForm): string {
  const { texts } = said;
  return page(said, {
    title: texts.yours,
    content: html`<p>${texts.shows}</p>
      <p class="code">${code}</p>
      <p>${texts.refuseIf}</p>
      <form method="post" action="${action}">
        <input type="hidden" name="xsrf" value="${xsrf}" />
        <input type="hidden" name="user_code" value="${code}" />
        <input type="hidden" name="confirm" value="yes" />
        <button type="submit">${texts.yoursButton}</button>
        <button class="second" type="submit" name="abort" value="yes">${texts.refuseButton}</button>
      </form>`,
  });
}

/** Asks for confirmation if the portal does not say whose session is to end. */
export function signOutPage(said: Said, { xsrf, action }: DeviceForm): string {
  const { texts } = said;
  return page(said, {
    title: texts.signOut,
    content: html`<p>${texts.stillSignedIn}</p>
      <form method="post" action="${action}">
        <input type="hidden" name="xsrf" value="${xsrf}" />
        <button type="submit" name="logout" value="yes">${texts.signOut}</button>
        <button class="second" type="submit">${texts.stayButton}</button>
      </form>`,
  });
}

export function messagePage(said: Said, title: string, message: string): string {
  return page(said, { title, content: html`<p>${message}</p>` });
}
