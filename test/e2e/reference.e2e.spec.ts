import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientsDocument } from '#edges/api-docs';
import { packageDirectory } from '#infra/runtime';
import { eventually, inheritedEnvironment, pesapost, type Service, startService } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let service: Service;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pesapost-reference-'));
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fetchText = async (path: string) => (await fetch(service.baseUrl + path)).text();

/** The reader's only tools: a shell, curl, openssl, and the oldest of tools. */
const tools = ['sh', 'curl', 'openssl', 'sed', 'grep', 'date', 'sleep'];

function onlyTools(): string {
  const directory = join(folder, 'tools');
  mkdirSync(directory);
  for (const tool of tools) {
    const path = execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
    symlinkSync(path, join(directory, tool));
  }
  return directory;
}

/** The commands that the page tells the reader to type, step by step, as a browser would show them. */
async function typedSteps(): Promise<string[]> {
  const page = await fetchText('/docs/quick-start');
  const blocks = page.matchAll(/<pre class="follow" tabindex="0"><code>([\s\S]*?)<\/code>/g);
  const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return [...blocks].map(([, text = '']) =>
    text
      .replace(/<\/?span[^>]*>/g, '')
      .replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity as '&amp;']),
  );
}

describe('the address itself', () => {
  it('is a page that lists what is served here, and every link of it works', async () => {
    const page = await fetchText('/');
    expect(page).toContain('<h1>PesaPost</h1>');
    for (const [, path = ''] of page.matchAll(/href="(\/[^"]*)"/g))
      expect([path, (await fetch(service.baseUrl + path)).status]).toEqual([path, 200]);
  });
});

describe('the reference', () => {
  it('is served as a page that a browser does not let load anything from elsewhere', async () => {
    const page = await fetch(`${service.baseUrl}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  it('is served with its style, its scripts and their imports, cacheable for ever', async () => {
    const page = await fetchText('/docs/guides/signing');
    const files = [...page.matchAll(/(?:src|href)="(\/docs\/static\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    const script = /\/docs\/static\/(?:page|walk-through)-[0-9a-f]{12}\.js$/;
    expect(files).toEqual([
      expect.stringMatching(/\/docs\/static\/style-[0-9a-f]{12}\.css$/),
      expect.stringMatching(script),
      expect.stringMatching(script),
    ]);
    for (const path of files) {
      const { status, headers } = await fetch(service.baseUrl + path);
      const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
      expect([
        path,
        status,
        headers.get('content-type'),
        headers.get('cache-control'),
        headers.get('x-request-id'),
      ]).toEqual([
        path,
        200,
        `${type}; charset=utf-8`,
        'public, max-age=31536000, immutable',
        expect.any(String),
      ]);
    }
    const imports = await Promise.all(
      files.slice(1).map(async (path) => [...(await fetchText(path)).matchAll(/from '([^']+)'/g)]),
    );
    const [steps = '', ...others] = imports.flat().map(([, path = '']) => path);
    expect(others).toEqual([]);
    expect(steps).toMatch(/^\/docs\/static\/signing-steps-[0-9a-f]{12}\.js$/);
    const source = await fetchText(steps);
    expect(source).not.toMatch(/import |sourceMappingURL/);
    expect(source).toContain('export async function signingSteps');
  });

  it('is served to machines as the repository’s own document', async () => {
    const answer = await fetch(`${service.baseUrl}/openapi.json`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const golden = readFileSync(join(packageDirectory(), 'openapi.json'), 'utf8');
    expect(await answer.json()).toEqual(JSON.parse(golden));
  });

  it('is served to client generators with only its paths', async () => {
    const answer = await fetch(`${service.baseUrl}/openapi.clients.json`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(clientsDocument())));
  });

  it('leads from an empty folder to a completed collection as written, with only curl and openssl', async () => {
    const [makeKey = '', fillIn = '', ...rest] = await typedSteps();
    expect(rest.length).toBeGreaterThan(3);
    const desk = join(folder, 'desk');
    mkdirSync(desk);
    const env = { ...inheritedEnvironment(), PATH: onlyTools() };
    const follow = (steps: string[]) =>
      promisify(execFile)('sh', ['-eu', '-c', steps.join('\n')], {
        cwd: desk,
        env,
        timeout: 90_000,
      });
    await follow([makeKey]);

    const { merchantId, accountNo } = service.merchant.credentials;
    const issued = await pesapost(
      service.env,
      ...['credential', 'issue', '--kind', 'v4', '--merchant', merchantId, '--mode', 'demo'],
      ...['--holder', 'reader', '--public-key', join(desk, 'merchant.pub')],
      ...['--ips', '127.0.0.1,::1', '--reason', 'test', '--as', 'spec'],
    );
    expect(fillIn).toContain(`BASE_URL=${service.baseUrl}`);
    const filledIn = fillIn
      .replace('your-client-id', issued['client_id'] ?? '')
      .replace('your-client-secret', issued['client_secret'] ?? '')
      .replace('your-account-number', accountNo);

    // The credential is valid once the projector has seen it.
    const [getToken = ''] = rest;
    const isKnown = () =>
      follow([filledIn, getToken, 'test -n "$TOKEN"']).then(
        () => true,
        () => false,
      );
    await eventually(isKnown, Boolean);
    const { stdout } = await follow([filledIn, ...rest]);
    const [created, completed, list, balance] = stdout
      .replaceAll('}{', '}\n{')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(created).toMatchObject({ status: 'pending', amount_minor: 25_000 });
    const { reference } = created ?? {};
    expect(completed).toMatchObject({ status: 'completed', reference, fee_minor: 375 });
    expect(list).toMatchObject({ data: [{ reference, status: 'completed' }] });
    expect(balance).toMatchObject({ account_no: accountNo, posted_minor: 24_625 });
    expect(readdirSync(desk).sort()).toEqual(
      [
        ...['collection.json', 'headers.txt', 'merchant.key', 'merchant.pub'],
        ...['string-to-sign', 'token.json'],
      ].sort(),
    );
  });
});
