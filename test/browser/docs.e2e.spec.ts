import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { ApiDocsModule, ApiDocsOptions } from '#edges/api-docs';
import { createLogger, Metrics } from '#infra/runtime';
import { createHttpApp } from '#shared/http';
import { freePort } from '#testing';
import { violationsOf } from './accessibility.js';
import { installDeadlineMs, launchChromium } from './chromium.js';
import { keepScreenshot, makeScreenshotFolder } from './fixture.js';
import { troubleOf } from './seen.js';

/** Enough for the rules of accessibility on every page, on a busy machine. */
const busyDeadlineMs = 900_000;

let chromium: Browser;
let app: NestFastifyApplication;
let origin: string;
/** Every page of the site, as its sidebar names them. */
let addresses: readonly string[];
/** The browsers' complaints: content that the policy forbids or that could not be loaded. */
const complaints: string[] = [];

beforeAll(async () => {
  chromium = await launchChromium();
  origin = `http://localhost:${await freePort()}`;
  app = await startDocs(origin);
  await makeScreenshotFolder();
  const page = await openPage();
  await page.goto(`${origin}/docs`);
  addresses = [
    ...new Set((await hrefs(page, '#sidebar a')).map((href) => href.split('#')[0] ?? '')),
  ];
  await page.context().close();
}, installDeadlineMs);
afterAll(async () => {
  await chromium.close();
  await app.close();
});

async function startDocs(baseUrl: string): Promise<NestFastifyApplication> {
  const providers = [{ provide: ApiDocsOptions, useValue: new ApiDocsOptions(baseUrl) }];
  @Module({ providers, exports: providers })
  class Infrastructure {}
  @Module({})
  class Whole {}
  const started = await createHttpApp(
    { module: Whole, imports: [{ module: Infrastructure, global: true }, ApiDocsModule] },
    {
      trustedProxies: [],
      logger: createLogger({ app: 'spec', level: 'silent' }),
      metrics: new Metrics(),
    },
  );
  await started.listen(new URL(baseUrl).port, 'localhost');
  return started;
}

async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await chromium.newContext(options);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return page;
}

const hrefs = (page: Page, selector: string): Promise<string[]> =>
  page
    .locator(selector)
    .evaluateAll((links: readonly { getAttribute(name: string): string | null }[]) =>
      links.map((link) => link.getAttribute('href') ?? ''),
    );

const nameOf = (address: string): string => address.slice(1).replaceAll('/', '-');

/** The elements that are wider than the screen, by their first words. */
const overflow = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('pre, .skip'))
  .map((one) => one.tagName + ' ' + one.className + ' ' + one.textContent.trim().slice(0, 40))`;

describe('the documentation in a browser', () => {
  it('has a page for each guide and each group of calls', () => {
    expect(addresses.length).toBeGreaterThan(14);
    for (const address of ['/docs', '/docs/errors', '/docs/webhooks', '/docs/reference/payouts'])
      expect(addresses).toContain(address);
  });

  it.each([
    ['light', [360, 390, 1280, 2560]],
    ['dark', [390, 1280, 2560]],
  ] as const)(
    'fits every screen: %s, %j pixels wide',
    async (colorScheme, widths) => {
      const page = await openPage({ colorScheme });
      for (const address of addresses) {
        await page.goto(origin + address);
        for (const width of widths) {
          await page.setViewportSize({ width, height: 844 });
          const at = { address, width };
          const sideways = await page.evaluate('document.documentElement.scrollWidth');
          expect({ ...at, sideways }).toEqual({ ...at, sideways: width });
          expect({ ...at, overflow: await page.evaluate(overflow) }).toEqual({
            ...at,
            overflow: [],
          });
          const trouble = await troubleOf(page);
          const faint = trouble.filter(({ what }) => what === 'contrast');
          expect({ ...at, faint }).toEqual({ ...at, faint: [] });
          if (width !== 360)
            await keepScreenshot(page, `${nameOf(address)}-${width}-${colorScheme}`);
        }
      }
      await page.context().close();
      expect(complaints).toEqual([]);
    },
    busyDeadlineMs,
  );

  // The dark scheme changes colours only, a phone changes everything else, and 2,560 pixels only add room.
  it.each([
    ['light', 390, 'all but contrast'],
    ['light', 1280, 'all'],
    ['dark', 1280, 'contrast'],
  ] as const)(
    'breaks no rule of accessibility: %s, %i pixels wide: %s',
    async (colorScheme, width, rules) => {
      const page = await openPage({ colorScheme, viewport: { width, height: 844 } });
      for (const address of addresses) {
        await page.goto(origin + address);
        // Every page has the same sidebar.
        const scope = address === '/docs' ? { rules } : { rules, without: '#sidebar' };
        expect({ address, found: await violationsOf(page, scope) }).toEqual({ address, found: [] });
      }
      await page.context().close();
    },
    busyDeadlineMs,
  );

  it('leads every link to a page, and every anchor to its place', async () => {
    const page = await openPage();
    const ids = new Map<string, readonly string[]>();
    const links = new Set<string>();
    for (const address of addresses) {
      await page.goto(origin + address);
      ids.set(
        address,
        await page.evaluate(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`),
      );
      for (const href of await hrefs(page, 'a'))
        links.add(href.startsWith('#') ? address + href : href);
    }
    for (const link of links) {
      const [path = '', anchor] = link.split('#');
      // The portal is another part of the API's process, which is not started here.
      if (path === '/portal') continue;
      if (anchor !== undefined)
        expect([link, ids.get(path)?.includes(anchor)]).toEqual([link, true]);
      else expect([link, (await fetch(origin + path)).status]).toEqual([link, 200]);
    }
    await page.context().close();
  });

  it('has links and controls as high as a thumb on a phone', async () => {
    const page = await openPage({
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    });
    await page.goto(`${origin}/docs/reference/collections`);
    const low = await page
      .locator('header a, header button, header select, .contents a, .copy, summary, .neighbours a')
      .evaluateAll(
        (found: readonly { getBoundingClientRect(): { height: number }; textContent: string }[]) =>
          found
            .filter((one) => one.getBoundingClientRect().height > 0)
            .filter((one) => one.getBoundingClientRect().height < 44)
            .map((one) => one.textContent),
      );
    expect(low).toEqual([]);
    await page.locator('.menu').tap();
    await page.locator('#sidebar').getByRole('link', { name: 'Webhooks', exact: true }).tap();
    await page.waitForURL(`${origin}/docs/webhooks`);
    await page.context().close();
  });

  it('switches the samples’ language without a script, for the whole page', async () => {
    const page = await openPage({
      javaScriptEnabled: false,
      viewport: { width: 1280, height: 844 },
    });
    await page.goto(`${origin}/docs/reference/collections`);
    const shown = async () =>
      Promise.all(
        ['curl', 'typescript', 'php'].map((language) =>
          page.locator(`.sample-${language}:visible`).count(),
        ),
      );
    expect(await shown()).toEqual([4, 0, 0]);
    await page.getByLabel('Language of the samples').selectOption('PHP');
    expect(await shown()).toEqual([0, 0, 4]);
    expect(await page.locator('.copy').count()).toBe(0);
    expect(await page.locator('#filter').isVisible()).toBe(false);
    await page.context().close();
  });

  it('copies a sample, remembers the language and filters the sidebar with a script', async () => {
    const page = await openPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${origin}/docs/reference/collections`);
    await page.getByLabel('Language of the samples').selectOption('TypeScript');
    await page.locator('#createcollection .sample-typescript .copy').click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('client.collections.create({\n  account_no:');

    await page.getByLabel('Filter pages and calls').fill('approve /payouts/');
    const links = page.locator('#sidebar a:visible');
    expect(await links.allInnerTexts()).toEqual([
      expect.stringContaining('Payouts'),
      expect.stringContaining('Approve a payout'),
    ]);
    await links.nth(1).click();
    await page.waitForURL(`${origin}/docs/reference/payouts#approvepayout`);
    expect(await page.locator('.sample-typescript:visible').count()).toBeGreaterThan(0);
    expect(await page.locator('.sample-curl:visible').count()).toBe(0);
    await page.context().close();
    expect(complaints).toEqual([]);
  });

  it('shows the string to sign as it is typed', async () => {
    const page = await openPage();
    await page.goto(`${origin}/docs/guides/signing`);
    await page.locator('#sign-query').fill('b=2&a=1 x');
    await page.getByText('a=1%20x&b=2').first().waitFor();
    expect(await page.locator('#shown-string').innerText()).toContain('a=1%20x&b=2');
    await page.context().close();
    expect(complaints).toEqual([]);
  });
});
