import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalQuery, checkoutHashV3, checkoutResultHashV4 } from '#shared/signing';
import { type BrowserContext, type Page } from 'playwright-core';
import { installDeadlineMs } from './chromium.js';
import { type Fixture, keepScreenshot, startFixture } from './fixture.js';
import { troubleOf } from './seen.js';
import { freshReference } from './shop.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
}, installDeadlineMs);
afterAll(() => fixture.stop());

const pays = '0712 345 678';
const cancels = '0700000002';
const isPoor = '0700000003';
const isSilent = '0700000005';

const stateIs = (page: Page, state: string) =>
  page.waitForSelector(`[data-state^="${state}"]`, { timeout: 60_000 });

async function pay(page: Page, phone: string): Promise<void> {
  await page.fill('#phone', phone);
  await page.click('#pay');
  await stateIs(page, 'waiting');
}

/** A page whose problems are all recorded: a blocked style or script, an error, an invisible element. */
async function open(
  context: BrowserContext,
  link: string,
): Promise<{ page: Page; problems: string[] }> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isStatus) problems.push(message.text());
  });
  await page.goto(link);
  return { page, problems };
}

async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await keepScreenshot(page, colorScheme === 'light' ? name : `${name}-dark`);
    expect([colorScheme, await troubleOf(page)]).toEqual([colorScheme, []]);
  }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBe(0);
}

describe.each([
  ['with JavaScript', 'js', true],
  ['without JavaScript', 'plain', false],
] as const)('a customer %s', (_, kind, javaScript) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await fixture.phone({ javaScript });
  });
  afterAll(() => context.close());

  it('pays, sees the result without doing anything, and goes back to the shop', async () => {
    const before = await fixture.pushes();
    const reference = freshReference();
    const link = fixture.shop.v4({
      reference,
      return_url: `${fixture.thanks}?cart=9`,
      phone: '254712345678',
    });
    const { page, problems } = await open(context, link);
    expect(await page.title()).toBe('Pay Duka Moja');
    expect(await page.inputValue('#phone')).toBe('0712345678');
    await look(page, `${kind}-1-pay`);
    await page.click('#pay');
    await stateIs(page, 'waiting');
    expect(await page.textContent('[role=status] h1')).toBe('Check your phone');
    expect(await page.textContent('main')).toContain('2547*****678');
    await look(page, `${kind}-2-check-your-phone`);
    await stateIs(page, 'paid');
    expect(page.url()).toContain('/checkout/en?');
    await look(page, `${kind}-3-paid`);
    await page.click('text=Back to Duka Moja');
    await page.waitForURL(`${fixture.thanks}?**`);
    const [, query = ''] = /\?(.*)$/.exec(fixture.returns.at(-1) ?? '') ?? [];
    const result = new URLSearchParams(query);
    expect([result.get('cart'), result.get('status'), result.get('reference')]).toEqual([
      ...['9', 'completed', reference],
    ]);
    const hash = checkoutResultHashV4(fixture.shop.secrets.v4, query);
    expect(canonicalQuery(query).ok && hash.ok && hash.value).toBe(result.get('hash'));
    expect(await fixture.pushes()).toBe(before + 1);
    expect(problems).toEqual([]);
  });

  it('is redirected to the shop automatically, and may return to the receipt', async () => {
    const reference = freshReference();
    const { page } = await open(
      context,
      fixture.shop.v4({ reference, return_url: fixture.thanks }),
    );
    await pay(page, pays);
    await stateIs(page, 'paid');
    expect(await page.textContent('.receipt')).toMatch(/M-Pesa receipt\s*\w{10}\s*Paid on\s*\d/);
    expect(await page.evaluate('document.activeElement.className')).toBe('said');
    await page.waitForURL(`${fixture.thanks}?**`, { timeout: 90_000 });
    expect(new URL(page.url()).searchParams.get('reference')).toBe(reference);
    await page.goBack();
    await stateIs(page, 'paid');
  });

  it('cancels, has no money, and finally pays from another number, on the same page', async () => {
    const before = await fixture.pushes();
    const { page, problems } = await open(
      context,
      fixture.shop.v3({ ttl: '19999.5', cbk: fixture.thanks }),
    );
    await pay(page, cancels);
    await stateIs(page, 'retry-2');
    expect(await page.textContent('[role=status] h1')).toBe('You cancelled the payment');
    expect(await page.inputValue('#phone')).toBe(cancels);
    await look(page, `${kind}-4-cancelled`);
    await page.click('#pay');
    await stateIs(page, 'waiting');
    await stateIs(page, 'retry-3');
    await pay(page, isPoor);
    await stateIs(page, 'retry-4');
    expect(await page.inputValue('#phone')).toBe(isPoor);
    await look(page, `${kind}-5-not-enough-money`);
    await pay(page, pays);
    await stateIs(page, 'paid');
    await page.click('text=Back to Duka Moja');
    await page.waitForURL(`${fixture.thanks}?**`);
    const { hsh, ...said } = Object.fromEntries(new URL(page.url()).searchParams);
    expect(said).toMatchObject({ status: 'completed', ttl: '19999.5', curr: 'KES' });
    expect(checkoutHashV3(fixture.shop.secrets.v3, Object.values(said))).toBe(hsh);
    expect(await fixture.pushes()).toBe(before + 4);
    expect(problems).toEqual([]);
  });

  it('sees what is wrong with a number, and keyboard focus moves to the error', async () => {
    const { page } = await open(context, fixture.shop.v4());
    await page.fill('#phone', '0812 345 678');
    await page.press('#phone', 'Enter');
    await page.waitForSelector('[role=alert]');
    expect(await page.title()).toMatch(/^Error: /);
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('alert');
    expect(await page.inputValue('#phone')).toBe('0812 345 678');
    await look(page, `${kind}-6-wrong-number`);
    await page.click('.problem a');
    expect(await page.evaluate('document.activeElement.id')).toBe('phone');
  });

  it('does not answer the phone', async () => {
    const { page } = await open(context, fixture.shop.v4({ return_url: fixture.thanks }));
    await pay(page, isSilent);
    await stateIs(page, 'failed');
    await look(page, `${kind}-7-no-answer`);
  });

  it('presses twice, reloads, goes back, opens a second tab, and gets one push', async () => {
    const before = await fixture.pushes();
    const link = fixture.shop.v4({ return_url: fixture.thanks });
    const { page } = await open(context, link);
    const second = (await open(context, link)).page;
    await page.fill('#phone', pays);
    await page.dblclick('#pay');
    await stateIs(page, 'waiting');
    await page.reload();
    await stateIs(page, 'waiting');
    await second.fill('#phone', pays);
    await second.click('#pay');
    await second.waitForSelector('[data-state=waiting-prompted], [data-state=paid]');
    await page.goBack();
    await page.waitForSelector('[data-state]:not([data-state=open])', { timeout: 60_000 });
    await stateIs(page, 'paid');
    await page.goto(link);
    expect(await page.locator('form').count()).toBe(0);
    expect(await fixture.pushes()).toBe(before + 1);
  });
});

describe('the page', () => {
  it('speaks Swahili to a Swahili browser, and changes language by a press, with the same link', async () => {
    const context = await fixture.phone({ locale: 'sw-KE' });
    const { page } = await open(context, fixture.shop.v3({ cbk: fixture.thanks }));
    expect(await page.getAttribute('html', 'lang')).toBe('sw');
    await look(page, 'sw-1-lipa');
    await page.click('text=English');
    expect(await page.title()).toBe('Pay Duka Moja');
    await page.click('text=Kiswahili');
    await pay(page, cancels);
    await look(page, 'sw-2-angalia-simu');
    await stateIs(page, 'retry');
    expect(await page.textContent('h1')).toBe('Umeghairi malipo');
    await look(page, 'sw-3-umeghairi');
    await pay(page, pays);
    await stateIs(page, 'paid');
    await look(page, 'sw-4-imelipwa');
    await context.close();
  });

  it('can be used with a keyboard alone, in reading order', async () => {
    const context = await fixture.phone();
    const { page } = await open(context, fixture.shop.v4());
    const reached: string[] = [];
    for (let presses = 0; presses < 3; presses += 1) {
      await page.keyboard.press('Tab');
      reached.push(String(await page.evaluate('document.activeElement.tagName')));
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
      expect(outline).toBe('3px');
      if (reached.at(-1) === 'INPUT') await page.keyboard.type(pays);
    }
    expect(reached).toEqual(['A', 'INPUT', 'BUTTON']);
    await page.keyboard.press('Enter');
    await stateIs(page, 'waiting');
    await context.close();
  });

  it('is less than 30 KB with all its resources, and requests nothing from other hosts', async () => {
    const context = await fixture.phone();
    const page = await context.newPage();
    const sizes: number[] = [];
    const hosts = new Set<string>();
    page.on('response', (response) => {
      hosts.add(new URL(response.url()).origin);
      void response.body().then((body) => sizes.push(body.length));
    });
    await page.goto(fixture.shop.v4({ return_url: fixture.thanks }), { waitUntil: 'networkidle' });
    expect([...hosts]).toEqual([fixture.service.baseUrl]);
    expect(sizes.length).toBe(2);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000);
    await context.close();
  });

  it('cannot be framed by another site', async () => {
    const link = fixture.shop.v4();
    const site = createServer((_request, response) => {
      const frame = `<iframe src="${link.replaceAll('&', '&amp;')}"></iframe>`;
      response.setHeader('content-type', 'text/html').end(frame);
    }).listen(0, '127.0.0.1');
    await once(site.unref(), 'listening');
    const { port } = site.address() as { port: number };
    const context = await fixture.phone();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForTimeout(500);
    const [, frame] = page.frames();
    expect(await frame?.locator('#pay').count()).toBe(0);
    await context.close();
    site.close();
  });

  it('rejects a form that another site sends', async () => {
    const before = await fixture.pushes();
    const link = fixture.shop.v4();
    const site = createServer((_request, response) => {
      const form = `<form method="post" action="${link.replaceAll('&', '&amp;')}"><input name="phone" value="0712345678"><input name="attempt" value="1"><button>x</button></form>`;
      response.setHeader('content-type', 'text/html').end(form);
    }).listen(0, '127.0.0.1');
    await once(site.unref(), 'listening');
    const { port } = site.address() as { port: number };
    const context = await fixture.phone();
    const { page } = await open(context, link);
    // Another host, so another site: a different port alone is the same site.
    await page.goto(`http://localhost:${port}/`);
    await page.click('button');
    await page.waitForSelector('[role=alert]');
    await look(page, 'fault-stale-form');
    expect(await fixture.pushes()).toBe(before);
    await context.close();
    site.close();
  });

  it('shows hostile texts as text', async () => {
    const context = await fixture.phone();
    const { page, problems } = await open(
      context,
      fixture.shop.v3({ p1: '"><script>document.title="x"</script>', tel: '"><b>' }),
    );
    expect(await page.title()).toBe('Pay Duka Moja');
    expect(await page.locator('b').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each([
    ['checked', '0700000010', 'Your payment is in review'],
    ['failed', '0700000011', 'The payment failed'],
    ['waiting-unsure', '0700000013', 'Check your phone'],
  ])('reports the state: %s', async (state, phone, title) => {
    const context = await fixture.phone();
    const { page } = await open(context, fixture.shop.v4({ return_url: fixture.thanks }));
    await page.fill('#phone', phone);
    await page.click('#pay');
    await stateIs(page, state);
    expect(await page.textContent('[role=status] h1')).toBe(title);
    expect(await page.evaluate('document.activeElement.className')).toBe('said');
    const text = String(await page.textContent('main'));
    expect(text).not.toContain('is told');
    if (state === 'waiting-unsure')
      expect(text).toMatch(
        /did not answer.*may still appear.*ask Duka Moja.*Give them the order number: ORDER-/s,
      );
    await look(page, `state-${state}`);
    await context.close();
  });

  it('shows that it is sending while the rail is slow, and sends once', async () => {
    const before = await fixture.pushes();
    const context = await fixture.phone();
    const { page } = await open(context, fixture.shop.v4());
    await page.fill('#phone', '0700000015');
    // In one step: the driver checks nothing while a page is loading.
    const shown = await page.evaluate(
      '(() => { const pay = document.getElementById("pay"); pay.click(); pay.click(); return [pay.textContent, pay.getAttribute("aria-disabled")]; })()',
    );
    expect(shown).toEqual(['Sending …', 'true']);
    await stateIs(page, 'waiting');
    expect(await fixture.pushes()).toBe(before + 1);
    await context.close();
  });

  it.each([
    ['invalid-link', () => `${fixture.shop.v4()}x`],
    ['invalid-amount', () => fixture.shop.v3({ ttl: '1e3' })],
    ['malformed-link', () => `${fixture.shop.v3()}&oid=1`],
    ['invalid-return-url', () => fixture.shop.v4({ return_url: 'https://evil.example/' })],
  ] as const)('says what to do: %s', async (name, link) => {
    const context = await fixture.phone();
    const { page } = await open(context, link());
    expect(await page.locator('main a').count()).toBe(0);
    await look(page, `fault-${name}`);
    await context.close();
  });

  it('leads back to the shop if the link has expired', async () => {
    const context = await fixture.phone();
    const link = fixture.shop.v4({ timestamp: '1700000000', return_url: fixture.thanks });
    const { page } = await open(context, link);
    await look(page, 'fault-expired-link');
    await page.click('text=Kiswahili');
    await look(page, 'sw-5-umekwisha');
    await page.click('text=Rudi kwa Duka Moja');
    await page.waitForURL(`${new URL(fixture.thanks).origin}/`);
    expect(await page.textContent('h1')).toBe('Asante!');
    await context.close();
  });

  it('shows the typed number only to its own browser', async () => {
    const [context, other] = [await fixture.phone(), await fixture.phone()];
    const link = fixture.shop.v4({ return_url: fixture.thanks });
    const { page } = await open(context, link);
    await pay(page, cancels);
    await stateIs(page, 'retry-2');
    expect(await page.inputValue('#phone')).toBe(cancels);
    const visitor = (await open(other, link)).page;
    expect(await visitor.inputValue('#phone')).toBe('');
    expect(await visitor.content()).not.toContain(cancels);
    await look(visitor, 'retry-of-another-visitor');
    expect(await page.evaluate('document.cookie')).toBe('');
    await Promise.all([context.close(), other.close()]);
  });

  it('looks right on a wide screen, and with a long name and reference', async () => {
    const context = await fixture.phone();
    const reference = 'INVOICE/2026-11/NAIROBI-WESTLANDS/CUSTOMER-0000001234567890/A.B';
    const { page } = await open(context, fixture.shop.v4({ reference, amount_minor: '24999999' }));
    await look(page, 'long-reference');
    await page.setViewportSize({ width: 1280, height: 800 });
    await look(page, 'wide-screen');
    await page.setViewportSize({ width: 240, height: 320 });
    await look(page, 'tiny-screen');
    await context.close();
  });
});
