import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { failures } from '#shared/glossary';
import { errors, errorTerms } from '#edges/api-v4';
import { packageDirectory } from '#infra/runtime';
import { html } from '#shared/html';
import { describe, expect, it } from '@jest/globals';
import { apiDocument } from '../document/api-document.js';
import { payoutTestNumbers, refundTestNumbers, testNumbers } from '../document/test-numbers.js';
import { quickStart } from '../guides/quick-start-steps.js';
import { pageAddresses } from './addresses.js';
import { home } from './home.js';
import { languages } from './languages.js';
import { siteOf } from './site.js';

const document = apiDocument();
const files = {
  style: '/docs/static/style-1.css',
  page: '/docs/static/page-1.js',
  'walk-through': '/docs/static/walk-through-1.js',
  'signing-steps': '/docs/static/signing-steps-1.js',
};
const site = siteOf({ document, baseUrl: 'http://127.0.0.1:8080', files });
const pages = [...site];

/** The page's text, or an error that names it. */
function pageAt(address: string): string {
  const found = site.get(address);
  if (found === undefined) throw new Error(`no page at ${address}`);
  return found;
}

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);
const idsOf = (text: string) => all(text, / id="([^"]+)"/g);

/** The anchors of the single page that the documentation used to be. */
const oldAnchors = [
  ...['quick-start', 'signing-walk-through', 'authentication', 'order-of-checks', 'errors'],
  ...['limits', 'safe-to-repeat', 'test-numbers', 'libraries-and-the-checkout-page', 'webhooks'],
  ...['issuetoken', 'createcollection', 'findcollection', 'findcollectionreceipt'],
  ...['requestpayout', 'approvepayout', 'rejectpayout', 'cancelpayout', 'findpayout'],
  ...['requestpayoutbatch', 'approvepayoutbatch', 'rejectpayoutbatch', 'cancelpayoutbatch'],
  ...['findpayoutbatch', 'listtransactions', 'findbalance', 'listevents'],
];

describe('the page of the address itself', () => {
  it('says what answers here and leads on, to pages that there are', () => {
    const links = all(home(files), /(?:src|href)="([^"]+)"/g);
    expect(links).toEqual([
      ...['data:,', files.style, '#content', '/docs'],
      ...['/docs', '/openapi.json', '/checkout'],
    ]);
    for (const who of ['Developers:', 'Customers:', 'Operators:'])
      expect(home(files)).toContain(who);
  });
});

describe('the documentation', () => {
  it('has the pages that are served, and no other', () => {
    expect(pages.map(([address]) => address).sort()).toEqual([...pageAddresses].sort());
  });

  it.each(pages)(
    '%s loads nothing from elsewhere and has no script or style of its own',
    (_, text) => {
      const loaded = all(text, /<(?:link rel="stylesheet"|script)[^>]*(?:src|href)="([^"]+)"/g);
      const own = [files.style, files.page];
      expect(loaded).toEqual(text.includes('sign-method') ? [...own, files['walk-through']] : own);
      expect(text).not.toMatch(/<style|style="|<script(?! type="module" src=)|\son[a-z]+="|<img/);
    },
  );

  it.each(pages)(
    '%s has a title, a description, one heading of its own and its landmarks',
    (_, text) => {
      const count = (pattern: RegExp) => all(text, pattern).length;
      expect(count(/<h1>(.+)<\/h1>/g)).toBe(1);
      expect(count(/<(main) id="content"/g)).toBe(1);
      expect(count(/<html (lang)="en">/g)).toBe(1);
      expect(count(/href="#content">(Skip to the content)</g)).toBe(1);
      expect(count(/(aria-current)="page"/g)).toBe(1);
      const [title = ''] = all(text, /<title>([^<]+)<\/title>/g);
      expect(pages.filter(([, other]) => other.includes(`<title>${title}</title>`))).toHaveLength(
        1,
      );
      const [description = ''] = all(text, /name="description" content="([^"]+)"/g);
      expect(description.length).toBeGreaterThan(50);
      expect(description.length).toBeLessThan(180);
    },
  );

  it.each(pages)('%s leads each link to a place that exists', (address, text) => {
    const ids = idsOf(text);
    expect(new Set(ids).size).toBe(ids.length);
    for (const link of all(text, /<a [^>]*href="([^"]+)"/g)) {
      const [path = '', anchor] = link.split('#');
      if (['/openapi.json', '/openapi.clients.json', '/portal'].includes(path)) continue;
      const target = site.get(path === '' ? address : path);
      expect([link, target !== undefined]).toEqual([link, true]);
      if (anchor !== undefined)
        expect([link, idsOf(target ?? '').includes(anchor)]).toEqual([link, true]);
    }
  });

  it.each(pages)('%s is small', (_, text) => {
    expect(Buffer.byteLength(text)).toBeLessThan(100_000);
    // Samples in other languages than the reader's are hidden, so that a browser lays out far fewer.
    expect(all(text, /<([a-z])/g).length).toBeLessThan(2_000);
  });

  it('leads the anchors of the single page to their new places', () => {
    const text = pageAt('/docs');
    for (const anchor of oldAnchors)
      expect([anchor, new RegExp(`<li id="${anchor}">\\s*<a href="/docs/`).test(text)]).toEqual([
        anchor,
        true,
      ]);
  });

  it('shows every call with its samples, every type of webhook and every header', () => {
    const reference = pages.filter(([address]) => address.startsWith('/docs/reference/'));
    const text = reference.map(([, page]) => page).join('');
    for (const [path, methods] of Object.entries(document.paths))
      for (const method of Object.keys(methods))
        expect(text).toContain(
          `<span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>`,
        );
    const calls = Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length;
    for (const { id } of languages)
      expect(all(text, new RegExp(`<figure class="sample (sample-${id})"`, 'g'))).toHaveLength(
        calls,
      );
    for (const type of Object.keys(document.webhooks))
      expect(pageAt('/docs/webhooks')).toContain(`<code>${type}</code>`);
    for (const header of ['RateLimit', 'X-PP-Ledger-Position', 'Retry-After', 'X-PP-Signature'])
      expect(pageAt('/docs/guides/requests')).toContain(`<code>${header}</code>`);
  });

  it('says for every code what it means, what to do and if the call is safe to retry', () => {
    const text = pageAt('/docs/errors');
    for (const code of Object.keys(errors)) {
      expect(text).toContain(`<tr id="${code}">`);
      const { next: action } = errorTerms[code as keyof typeof errorTerms];
      expect([code, action.length > 10]).toEqual([code, true]);
    }
    for (const code of Object.keys(failures)) expect(text).toContain(`<tr id="failure-${code}">`);
    const marks = all(text, /class="badge (yes|after_change|no)"/g);
    expect(marks).toHaveLength(all(text, /<tr (id="[a-z_-]+")>/g).length);
  });

  it('has every test number', () => {
    const text = pageAt('/docs/test-numbers');
    for (const { phone } of [...testNumbers, ...payoutTestNumbers, ...refundTestNumbers])
      expect(text).toContain(`<code>${phone}</code>`);
  });

  it('offers a choice of language on pages with samples in several', () => {
    for (const [address, text] of pages)
      expect([address, text.includes('id="language"')]).toEqual([
        address,
        text.includes('sample-typescript'),
      ]);
  });

  it('escapes what it is given', () => {
    expect(html`<p>${'<img src=x onerror=1> "&\''}</p>`.text).toBe(
      '<p>&lt;img src=x onerror=1&gt; &quot;&amp;&#39;</p>',
    );
  });

  it('has the same commands as the how-to, word for word', () => {
    const howTo = readFileSync(join(packageDirectory(), 'docs/how-to/sign-a-request.md'), 'utf8');
    for (const { shell } of quickStart('http://127.0.0.1:8080')) expect(howTo).toContain(shell);
  });
});
