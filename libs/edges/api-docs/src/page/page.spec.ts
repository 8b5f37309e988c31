import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from '#edges/api-v4';
import { packageDirectory } from '#infra/postgres';
import { describe, expect, it } from '@jest/globals';
import { apiDocument } from '../document/api-document.js';
import { home } from './home.js';
import { html } from '#shared/html';
import { page } from './page.js';
import { quickStart } from './quick-start.js';

const document = apiDocument();
const text = page(document, 'http://127.0.0.1:8080');

describe('the page of the address itself', () => {
  it('says what answers here and leads on, to pages that there are', () => {
    const links = [...home().matchAll(/href="([^"]+)"/g)].map(([, target]) => target);
    expect(links).toEqual(['/docs/style.css', '/docs', '/openapi.json', '/checkout']);
    for (const who of ['Developers:', 'Customers:', 'Operators:']) expect(home()).toContain(who);
  });
});

describe('the reference page', () => {
  it('loads nothing from elsewhere and holds no script or style of its own', () => {
    const loaded = [...text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, target]) => target);
    expect(loaded.sort()).toEqual(['/docs/style.css', '/docs/walk-through.js', '/openapi.json']);
    expect(text).not.toMatch(/<style|style="|<script(?! type="module" src=)|\son[a-z]+="/);
  });

  it('shows every call, every code and every header of the document', () => {
    for (const [path, methods] of Object.entries(document.paths))
      for (const method of Object.keys(methods))
        expect(text).toContain(`<h3><code>${method.toUpperCase()} ${path}</code></h3>`);
    for (const type of Object.keys(document.webhooks))
      expect(text).toContain(`<code>${type}</code>: `);
    for (const code of Object.keys(errors)) expect(text).toContain(`<code>${code}</code>`);
    for (const header of ['RateLimit', 'X-PP-Ledger-Position', 'Retry-After'])
      expect(text).toContain(`<code>${header}</code>`);
  });

  it('leads each link of its contents to a place on the page, and no two places share a name', () => {
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    const places = [...text.matchAll(/ id="([^"]+)"/g)].map(([, place]) => place);
    expect(new Set(places).size).toBe(places.length);
    expect(links.filter((target) => !places.includes(target))).toEqual([]);
  });

  it('escapes what it is given', () => {
    expect(html`<p>${'<img src=x onerror=1> "&\''}</p>`.text).toBe(
      '<p>&lt;img src=x onerror=1&gt; &quot;&amp;&#39;</p>',
    );
  });

  it('has the how-to’s commands, word for word', () => {
    const howTo = readFileSync(join(packageDirectory(), 'docs/how-to/sign-a-request.md'), 'utf8');
    for (const { shell } of quickStart('http://127.0.0.1:8080')) expect(howTo).toContain(shell);
  });
});
