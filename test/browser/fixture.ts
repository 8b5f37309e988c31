import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageDirectory } from '#infra/runtime';
import { type Service, startService } from '#testing';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { launchChromium } from './chromium.js';
import { openShop, type Shop } from './shop.js';

/** A cheap phone: 360 by 640 points. */
const phone = { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, isMobile: true };

/** Pictures of each state, kept after the run and not in git. */
const screenshots = join(packageDirectory(), 'test/browser/screenshots');

/** The service, a shop that customers return to, and a browser. */
export interface Fixture {
  readonly service: Service;
  readonly shop: Shop;
  /** The address at the shop to which customers return. */
  readonly thanks: string;
  /** The addresses with which customers returned so far. */
  readonly returns: readonly string[];
  /** A phone of its own, with its cookies; closed with the fixture. */
  phone(options?: {
    readonly javaScript?: boolean;
    readonly locale?: string;
  }): Promise<BrowserContext>;
  /** The number of pushes that the rail accepted so far. */
  pushes(): Promise<number>;
  stop(): Promise<void>;
}

export async function startFixture(): Promise<Fixture> {
  // Long enough to see the waiting page.
  const service = await startService({ SIMULATOR_DELAY: '1500ms', RAIL_QUERY_DELAYS: '75s' });
  const returns: string[] = [];
  const site = createServer((request, response) => {
    // Ignore the files that browsers request from every site.
    if (request.url?.startsWith('/thanks')) returns.push(request.url);
    response.setHeader('content-type', 'text/html').end('<h1>Asante!</h1>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address() as { port: number };
  const browser: Browser = await launchChromium();
  const shop = await openShop(service, '127.0.0.1');
  await makeScreenshotFolder();
  return {
    service,
    shop,
    thanks: `http://127.0.0.1:${port}/thanks`,
    returns,
    phone: ({ javaScript = true, locale = 'en-KE' } = {}) =>
      browser.newContext({ ...phone, locale, javaScriptEnabled: javaScript }),
    pushes: async () => {
      const response = await fetch(`${service.simulatorUrl}/_stats`);
      return ((await response.json()) as { pushes: number }).pushes;
    },
    stop: async () => {
      await browser.close();
      site.close();
      await service.stop();
    },
  };
}

export async function makeScreenshotFolder(): Promise<void> {
  if (process.env['SCREENSHOTS'] === 'off') return;
  await mkdir(screenshots, { recursive: true });
  process.stderr.write(`screenshots: ${screenshots}\n`);
}

/** Chromium abandons a picture that a busy machine does not draw in time; the next attempt finds it drawn. */
const screenshotTries = 5;

/** Saves a picture of the whole page for people, except in a run of all specs. */
export async function keepScreenshot(page: Pick<Page, 'screenshot'>, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] !== 'off') await takeScreenshot(page, name);
}

export async function takeScreenshot(
  page: Pick<Page, 'screenshot'>,
  name: string,
  pauseMs = 1_000,
): Promise<void> {
  for (let left = screenshotTries - 1; ; left -= 1) {
    try {
      await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
      return;
    } catch (error) {
      if (left === 0) throw error;
      await sleep(pauseMs);
    }
  }
}
