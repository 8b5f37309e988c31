import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { Copy } from '../../libs/adapters/audit/test/copy.js';
import {
  type ProofFiles,
  proofFilesOf,
  withFiles,
} from '../../libs/adapters/audit/test/proof-files.js';
import { packageDirectory } from '#infra/runtime';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Browser } from 'playwright-core';
import { installDeadlineMs, launchChromium } from './chromium.js';

let browser: Browser;
let files: ProofFiles;
beforeAll(async () => {
  browser = await launchChromium();
  const copy = await Copy.of(1, 20);
  await copy.seal();
  files = await proofFilesOf(copy, 'collection-demo:m-1:D0-1');
}, installDeadlineMs);
afterAll(() => browser.close());

/** The verdict of the page on the disk, without a network. */
async function verdictOf(given: ProofFiles): Promise<string> {
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  try {
    await page.goto(pathToFileURL(join(packageDirectory(), 'verifier/index.html')).href);
    await withFiles(given, async ({ proof, head }) => {
      await page.setInputFiles('#proof', proof);
      await page.setInputFiles('#head', head);
      await page.fill('#key', given.publicPem);
      await page.click('button');
      await page.waitForSelector('#verdict:not(:empty)');
    });
    return (await page.textContent('#verdict')) ?? '';
  } finally {
    await context.close();
  }
}

it('the page tells a proof that holds from one that does not', async () => {
  expect(await verdictOf(files)).toBe('The proof holds.');
  const bad = structuredClone(files);
  bad.head.head['root'] = 'ab'.repeat(32);
  expect(await verdictOf(bad)).toBe('THE PROOF DOES NOT HOLD.');
  const other = { ...files, publicPem: 'ab'.repeat(32) };
  expect(await verdictOf(other)).toBe('THE PROOF DOES NOT HOLD.');
});
