import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { RedisStore } from '#infra/redis';
import { createLogger, Metrics } from '#infra/runtime';
import {
  eventually,
  freePort,
  redisNamespace,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { Browser as Cookies } from '../../libs/edges/portal/test/browser.js';
import { FakeIssuer } from '../../libs/edges/portal/test/fake-issuer.js';
import {
  carriedOut,
  exportSteps,
  GivenRoles,
  startPortal,
} from '../../libs/edges/portal/test/portal.js';
import { installDeadlineMs, launchChromium } from './chromium.js';
import { keepScreenshot } from './fixture.js';
import { troubleOf } from './seen.js';

let chromium: Browser;
let postgres: ThrowAwayDatabase;
let redis: RedisStore;
let issuer: FakeIssuer;
let app: NestFastifyApplication;
let origin: string;
/** The browsers' complaints: content that the policy forbids or that could not be loaded. */
const complaints: string[] = [];

beforeAll(async () => {
  chromium = await launchChromium();
  postgres = await throwAwayDatabase();
  const logger = createLogger({ app: 'spec', level: 'silent' });
  redis = new RedisStore({ ...redisNamespace(), logger });
  issuer = new FakeIssuer();
  const [port] = await Promise.all([freePort(), redis.start(), issuer.start()]);
  origin = `http://localhost:${port}`;
  const roles = new GivenRoles();
  roles.of.set('amina', [{ role: 'finance' }]);
  const { database } = postgres;
  app = await startPortal({ database, redis, issuer, roles, port, metrics: new Metrics() });
}, installDeadlineMs);
afterAll(async () => {
  await chromium.close();
  await app.close();
  await issuer.stop();
  await redis.close();
  await postgres.drop();
});

/** A page of a signed-in person. */
async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const cookies = new Cookies(origin, issuer);
  await cookies.signIn();
  const context = await chromium.newContext(options);
  await context.addCookies(
    [...cookies.cookies].map(([name, value]) => ({ name, value, url: origin })),
  );
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return page;
}

const looksOf = (page: Page): Promise<number> => page.locator('#looks').innerText().then(Number);

describe('the portal’s frame', () => {
  it('asks for its content again, keeps focus and what was typed, and breaks no rule of its policy', async () => {
    const page = await openPage();
    await page.goto(`${origin}/portal/watch`);
    const before = await looksOf(page);
    await page.locator('#note').fill('half a sentence');
    await eventually(
      () => looksOf(page),
      (looks) => looks > before + 1,
    );
    expect(await page.locator('#note').inputValue()).toBe('half a sentence');
    expect(await page.evaluate('document.activeElement.id')).toBe('note');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('leads to signing in once the session has ended', async () => {
    const page = await openPage();
    await page.goto(`${origin}/portal/watch`);
    await page.context().clearCookies();
    await page.waitForURL((url) => url.origin === issuer.url);
    await page.context().close();
    complaints.length = 0;
  });

  it('works without a script: what was typed stays, and its form is sent', async () => {
    const page = await openPage({ javaScriptEnabled: false });
    await page.goto(`${origin}/portal/desk`);
    await page.goto(`${origin}/portal/watch`);
    const before = await looksOf(page);
    carriedOut.length = 0;
    await page.locator('#note').fill('a note');
    // More than twice as long as a page with a script waits.
    await page.waitForTimeout(2500);
    expect([await looksOf(page), await page.locator('#note').inputValue()]).toEqual([
      before,
      'a note',
    ]);
    await page.locator('button', { hasText: 'Keep the note' }).click();
    await page.waitForURL(`${origin}/portal/desk?done=noted`);
    expect(carriedOut).toEqual([{ note: 'a note' }]);
    await page.context().close();
  });

  it('shows how far an export is, and saves it as a file once it is complete (POR-117)', async () => {
    const page = await openPage();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    exportSteps[3] = promise;
    await page.goto(`${origin}/portal/exports/50000`);
    await page.getByText('Export CSV').click();
    await page.getByText('Exporting: 20,000 of 50,000 rows').waitFor();
    expect(await page.locator('#export progress').getAttribute('max')).toBe('50000');
    await keepScreenshot(page, 'portal-export');
    const saved = page.waitForEvent('download');
    resolve(undefined);
    const download = await saved;
    expect(download.suggestedFilename()).toBe('transactions-50000.csv');
    const text = await readFile(await download.path(), 'utf8');
    expect(text.split('\r\n')).toHaveLength(50_002);
    await page.getByText('Export finished: 50,000 rows').waitFor();
    expect(await page.locator('#export progress').isVisible()).toBe(false);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('saves nothing of an export that is cancelled or breaks, and says so', async () => {
    const page = await openPage();
    const downloads: string[] = [];
    page.on('download', (download) => downloads.push(download.suggestedFilename()));
    await page.goto(`${origin}/portal/exports/5000`);
    const waits = Promise.withResolvers<undefined>();
    exportSteps[3] = waits.promise;
    await page.getByText('Export CSV').click();
    await page.getByText('Exporting: 2,000 of 5,000 rows').waitFor();
    await page.locator('#export button').click();
    await page.getByText('Export cancelled. Nothing was saved.').waitFor();
    waits.resolve(undefined);
    const breaks = Promise.withResolvers<undefined>();
    exportSteps[3] = breaks.promise;
    await page.getByText('Export CSV').click();
    await page.getByText('Exporting: 2,000 of 5,000 rows').waitFor();
    breaks.reject(new Error('the views are being built'));
    await page.getByText('The export failed, and nothing was saved.').waitFor();
    await page.context().clearCookies();
    await page.getByText('Export CSV').click();
    await page.getByText('The export failed, and nothing was saved.').waitFor();
    expect(downloads).toEqual([]);
    exportSteps.length = 0;
    await page.context().close();
    complaints.length = 0;
  });

  it.each([
    ['without a script', 500, false],
    ['of very many rows', 200_010, true],
  ] as const)('leaves an export %s to the browser', async (_, rows, javaScriptEnabled) => {
    const page = await openPage({ javaScriptEnabled });
    await page.goto(`${origin}/portal/exports/${rows}`);
    const saved = page.waitForEvent('download');
    await page.getByText('Export CSV').click();
    expect((await saved).suggestedFilename()).toBe(`transactions-${rows}.csv`);
    expect(await page.locator('#export').isVisible()).toBe(false);
    await page.context().close();
  });

  it('is reached by keyboard: the first key leads past the navigation', async () => {
    const page = await openPage();
    await page.goto(`${origin}/portal/desk`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.context().close();
  });

  it.each([
    ['light', 360],
    ['dark', 360],
    ['light', 1280],
    ['dark', 1280],
    ['light', 3840],
  ] as const)('fits a screen: %s, %i pixels wide', async (colorScheme, width) => {
    const page = await openPage({ colorScheme, viewport: { width, height: 800 } });
    await page.goto(`${origin}/portal/watch`);
    const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
    expect(scrollWidth).toBeLessThanOrEqual(width);
    await keepScreenshot(page, `portal-frame-${colorScheme}-${width}`);
    // Links within a text may be smaller than a thumb needs.
    const trouble = await troubleOf(page);
    expect(trouble.filter(({ what }) => what === 'contrast')).toEqual([]);
    await page.context().close();
    expect(complaints).toEqual([]);
  });
});
