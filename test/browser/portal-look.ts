import { expect } from '@jest/globals';
import { type BrowserContext, type Page, type Response } from 'playwright-core';
import { violationsOf } from './accessibility.js';
import { keepScreenshot } from './fixture.js';
import { misfitsOf, unseenFocus } from './geometry.js';

/** Maximum size of a page with its style and script, as transferred at the first visit. */
const maxPageBytes = 100_000;
/** Maximum size of style and script, compressed: the browser caches them. */
const maxSharedBytes = 30_000;

/** A busy machine takes this long for a page, or for a store that is asked again; a store that is down stays down for longer. */
const busyDeadlineMs = 60_000;

/** Presses of Tab: past the top bar, and into the page. */
const focusPresses = 12;

export interface Opened {
  readonly page: Page;
  /** A blocked style or script, an error. */
  readonly problems: readonly string[];
}

export async function open(context: BrowserContext): Promise<Opened> {
  const page = await context.newPage();
  page.setDefaultTimeout(busyDeadlineMs);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) problems.push(message.text());
  });
  return { page, problems };
}

/** Opens one of our pages and checks its status, its title and its size. */
export async function visit(page: Page, target: string, status = 200): Promise<Response> {
  const deadline = performance.now() + busyDeadlineMs;
  let response = await page.goto(target);
  while (response?.status() === 503 && performance.now() < deadline) {
    await page.waitForTimeout(1000);
    response = await page.goto(target);
  }
  expect({ target, status: response?.status() }).toEqual({ target, status });
  if (!response) throw new Error(`${target} answered nothing`);
  expect({ target, titles: await page.locator('h1').count() }).toEqual({ target, titles: 1 });
  const { length } = await response.body();
  expect(length + maxSharedBytes).toBeLessThan(maxPageBytes);
  return response;
}

/** The page's address without names: one page of each kind is checked. */
export function kindOf(target: string): string {
  const { pathname } = new URL(target, 'http://localhost');
  return pathname
    .split('/')
    .map((part) => (/\d/.test(part) ? '*' : part))
    .join('/');
}

const seen = new Set<string>();

/**
 * Checks the page against the rules of accessibility, and saves a picture of it; each kind of page once.
 * @returns the violations
 */
export async function look(page: Page, kind = kindOf(page.url())): Promise<readonly object[]> {
  if (seen.has(kind)) return [];
  seen.add(kind);
  const name = `portal${kind.replace(/^\/portal/, '').replaceAll(/[^a-z0-9]+/gi, '-')}`;
  const wrong: object[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // One width is enough for the dark scheme.
    for (const width of colorScheme === 'light' ? [1280, 2560, 390, 360] : [360]) {
      await page.setViewportSize({ width, height: 800 });
      await keepScreenshot(page, `${name}-${width}-${colorScheme}`);
      for (const misfit of await misfitsOf(page)) wrong.push({ kind, width, ...misfit });
    }
    if (await page.evaluate('document.activeElement === document.body'))
      for (const misfit of await unseenFocus(page, focusPresses))
        wrong.push({ kind, colorScheme, ...misfit });
    // Only colours differ in the dark scheme.
    const rules = colorScheme === 'dark' ? 'contrast' : 'all';
    for (const violation of await violationsOf(page, { rules }))
      wrong.push({ kind, colorScheme, ...violation });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
  return wrong;
}

/** The targets of the matching links, each once. */
export async function linksOf(page: Page, selector: string): Promise<readonly string[]> {
  const links = await page
    .locator(selector)
    .evaluateAll((found: readonly { getAttribute(name: string): string | null }[]) =>
      found.map((link) => link.getAttribute('href') ?? ''),
    );
  return [...new Set(links)];
}
