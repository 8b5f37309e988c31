import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#testing';
import { type BrowserContext, type Page } from 'playwright-core';
import { installDeadlineMs } from './chromium.js';
import { hostile, type Login, type PortalFixture, startPortal } from './portal-fixture.js';
import { kindOf, linksOf, look, open, visit } from './portal-look.js';

let fixture: PortalFixture;
beforeAll(async () => {
  fixture = await startPortal();
}, installDeadlineMs);
afterAll(() => fixture.stop());

/** Runs in a browser of the person, which shows no error of script or style. */
async function as(
  login: Login,
  work: (page: Page) => Promise<void>,
  options: { readonly javaScript?: boolean } = {},
): Promise<void> {
  const context = await fixture.browserOf(login, options);
  try {
    const { page, problems } = await open(context);
    await work(page);
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}

const ofMerchant = (path: string, merchantId = fixture.merchantId): string =>
  `/portal/merchants/${merchantId}/demo${path}`;

describe('signing in and out', () => {
  it('returns to the requested page, and ends the session on the server', async () => {
    const context: BrowserContext = await fixture.fresh();
    const { page, problems } = await open(context);
    await fixture.signIn(page, 'support');
    expect(await page.textContent('.who b')).toBe('Samuel Kiprop');
    await page.locator('.who summary').click();
    await page.getByRole('link', { name: 'Your sessions' }).click();
    await page.waitForSelector('h1:has-text("Your sessions")');
    expect(await look(page)).toEqual([]);
    const { cookies } = await context.storageState();
    const [portal] = cookies.filter(({ name }) => name === 'portal');
    expect(portal).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    await page.locator('details.who > summary').click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    // The portal names the session to the provider, which therefore does not ask for confirmation.
    await page.waitForURL((at) => at.pathname === '/portal/signed-out');
    expect(await page.textContent('h1')).toBe('You are signed out');
    await page.goto('/portal');
    expect(await page.isVisible('#password')).toBe(true);
    const other = await context.newPage();
    await visit(other, '/portal/signed-out');
    expect(await look(other)).toEqual([]);
    await context.addCookies(portal ? [portal] : []);
    const answer = await context.request.get('/portal/status', { maxRedirects: 0 });
    expect(answer.headers()['location']).toBe('/portal/sign-in?back=%2Fportal%2Fstatus');
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('a passkey', () => {
  /** Adds a device that verifies its person by itself. */
  async function authenticator(page: Page): Promise<void> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        automaticPresenceSimulation: true,
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
  }

  /** Proposes up to the issuer's page. */
  async function propose(page: Page, reason: string): Promise<void> {
    await visit(page, '/portal/corrections');
    await page.locator('.actions a').click();
    await page.locator(`a[href*="${fixture.merchantId}"][href*="mode=demo"]`).click();
    await page.selectOption('#correction_account_0', 'suspense');
    await page.fill('#correction_debit_0', '1.00');
    await page.selectOption('#correction_account_1', 'fees');
    await page.fill('#correction_credit_1', '1.00');
    await page.fill('#correction_reason', reason);
    await page.locator('form:has(#correction_reason) button').click();
    await page.locator('a[href$="/prove"]').click();
  }

  it('is added after a password, then satisfies a step-up, and signs in', async () => {
    const context = await fixture.fresh();
    const { page, problems } = await open(context);
    await authenticator(page);
    await page.goto('/portal');
    await fixture.fillIn(page, 'finance');
    await page.getByLabel('Add a passkey to this device next').check();
    expect(await look(page, '/provider/sign-in')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForSelector('h1:has-text("Add a passkey")');
    expect(await look(page, '/provider/new-passkey')).toEqual([]);
    await page.getByRole('button', { name: 'Add the passkey' }).click();
    await page.waitForSelector('.who b');

    await propose(page, 'a fee that was not taken');
    await page.waitForSelector('h1:has-text("Verify it’s you")');
    expect(await page.locator('[name=password]').count()).toBe(0);
    expect(await look(page, '/provider/passkey')).toEqual([]);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'Propose now' }).click();
    await page.waitForSelector('.dialog', { state: 'detached' });
    expect(await page.textContent('main')).toContain('a fee that was not taken');

    await page.locator('details.who > summary').click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL((at) => at.pathname === '/portal/signed-out');
    await page.goto('/portal');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForSelector('.who b:has-text("Faith Njeri")');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('is not required from a person without one, without a script and in Swahili', async () => {
    const context = await fixture.fresh({ javaScript: false, locale: 'sw-KE' });
    const { page, problems } = await open(context);
    await page.goto('/portal');
    expect(await page.getAttribute('html', 'lang')).toBe('sw');
    expect(await page.isVisible('[name=add_passkey]')).toBe(false);
    await fixture.fillIn(page, 'other-admin');
    await page.getByRole('button', { name: 'Ingia', exact: true }).click();
    await page.waitForSelector('.who b');
    await propose(page, 'bila hati');
    await page.waitForSelector('h1:has-text("Thibitisha ni wewe")');
    await fixture.fillIn(page, 'other-admin');
    await page.getByRole('button', { name: 'Thibitisha', exact: true }).click();
    await page.locator('main form button').first().click();
    await page.waitForURL((at) => at.pathname.startsWith('/portal/corrections'));
    expect(await page.textContent('main')).toContain('bila hati');
    expect(problems).toEqual([]);
    await context.close();
  });
});

/** The person with the most rights first: pages are checked where they show most. */
const everybody = [
  ...(['finance', 'admin', 'auditor', 'owner', 'bookkeeper'] as const),
  ...(['developer', 'support', 'viewer'] as const),
];
const isOperator = (login: Login): boolean => !['owner', 'bookkeeper', 'developer'].includes(login);

/** A merchant's people begin in live mode, but the data are in demo mode. */
async function navigationOf(page: Page, login: Login): Promise<readonly string[]> {
  await visit(page, isOperator(login) ? '/portal' : ofMerchant('/transactions'));
  const links = await linksOf(page, '.nav ul a');
  // The API reference is a site of its own.
  return links.filter((link) => link.startsWith('/portal'));
}

describe('each role', () => {
  it.each(everybody)(
    'reaches its pages, and one of each kind that they link to: %s',
    async (login) => {
      await as(login, async (page) => {
        const places = await navigationOf(page, login);
        expect(places.length).toBeGreaterThan(3);
        const wrong: object[] = [];
        const next = new Map(places.map((place) => [kindOf(place), place]));
        for (const [kind, target] of next) {
          await visit(page, target);
          wrong.push(...(await look(page, kind)));
          const links = await linksOf(page, '#content a[href^="/portal"]');
          for (const link of links.filter(
            (each) => !/\.(json|csv|ndjson)$|\/file$/.test(kindOf(each)),
          ))
            if (!next.has(kindOf(link))) next.set(kindOf(link), link);
        }
        expect(wrong).toEqual([]);
      });
    },
    600_000,
  );

  it('reaches them without JavaScript', async () => {
    const tourOf = (login: Login) =>
      as(
        login,
        async (page) => {
          for (const place of await navigationOf(page, login)) {
            await visit(page, place);
            expect(await page.getAttribute('.nav a[aria-current]', 'href')).toBe(place);
          }
        },
        { javaScript: false },
      );
    await Promise.all(everybody.map(tourOf));
  }, 400_000);

  it('does not reach pages that its roles do not allow, or another merchant', async () => {
    await as('viewer', async (page) => {
      await visit(page, ofMerchant('/statement'), 403);
      expect(await page.textContent('h1')).toBe('Your roles do not allow this');
      expect(await look(page, '/portal/forbidden')).toEqual([]);
    });
    await as('developer', async (page) => {
      await visit(page, '/portal/status', 403);
      await visit(page, ofMerchant('/days'), 403);
      await visit(page, ofMerchant('/keys', fixture.otherMerchantId), 404);
      const other = await page.textContent('main');
      await visit(page, ofMerchant('/keys', 'none'), 404);
      const withoutId = (text: string | null) => text?.replace(/\b[\w-]{20,}\b/g, '');
      expect(withoutId(await page.textContent('main'))).toBe(withoutId(other));
      expect(await look(page, '/portal/not-found')).toEqual([]);
    });
  });
});

describe('a refund', () => {
  const looked: object[] = [];
  const lookAt = async (page: Page, name: string): Promise<void> => {
    looked.push(...(await look(page, `/portal/refund/${name}`)));
  };

  it('is requested by one person and approved by another, and the ledger has it', async () => {
    const { merchant } = fixture.service;
    await merchant.collect({ reference: 'INV-3', phone: '254711222333' });
    const collection = () => merchant.get('/api/v4/collections/INV-3');
    await eventually(collection, ({ body }) => body['status'] === 'completed', {
      withinMs: 60_000,
      everyMs: 200,
    });
    await as('bookkeeper', async (page) => {
      await visit(page, ofMerchant('/items/collection/INV-3'));
      await page.getByRole('link', { name: 'Refund', exact: true }).click();
      await page.waitForSelector('h1:has-text("Refund INV-3")');
      await lookAt(page, 'form');
      expect(await page.isVisible('#phone')).toBe(false);
      await page.getByLabel('Part of the payment').check();
      await page.fill('#amount', '40');
      await page.fill('#phone', '0711222334');
      await page.getByRole('button', { name: 'Review refund' }).click();
      await page.waitForSelector('#phone[aria-invalid]');
      await lookAt(page, 'wrong');
      await page.fill('#phone', '0711222333');
      await page.getByRole('button', { name: 'Review refund' }).click();
      await page.waitForSelector('.summary .amount:has-text("KES 40.00")');
      await lookAt(page, 'checked');
      await page.getByRole('button', { name: 'Request refund' }).click();
      await page.waitForSelector('[role=status]:has-text("Another person must approve it")');
      expect(await page.textContent('h1')).toContain('Refund pending');
      await lookAt(page, 'pending');
    });
    await as('owner', async (page) => {
      await visit(page, ofMerchant('/payouts'));
      await lookAt(page, 'approvals');
      await page.getByRole('link', { name: 'refund-INV-3', exact: true }).first().click();
      await page.waitForSelector('dd:has-text("Sent to the number that paid")');
      await lookAt(page, 'approval');
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.waitForSelector('.dialog h1:has-text("Approve this refund")');
      await lookAt(page, 'confirm');
      await page.locator('a[href$="/prove"]').click();
      // A person takes a second; by whole seconds, a quicker proof may look older than the way to it (PEO-50).
      await page.waitForTimeout(1100);
      await fixture.fillIn(page, 'owner');
      await page.getByRole('button', { name: 'Verify', exact: true }).click();
      await page.locator('main form button').first().click();
      await page.waitForSelector('[role=status]:has-text("Payout approved")');
      await eventually(collection, ({ body }) => body['refund_status'] === 'partial', {
        withinMs: 60_000,
        everyMs: 200,
      });
      await visit(page, ofMerchant('/items/collection/INV-3'));
      expect(await page.textContent('h1')).toContain('Partly refunded');
      await lookAt(page, 'collection');
      await page.getByRole('link', { name: 'refund-INV-3', exact: true }).click();
      await page.waitForSelector('h1:has-text("KES 40.00")');
      const refund = await page.textContent('main');
      expect(refund).toContain('Posted to your account');
      await lookAt(page, 'refund');
      await page.getByRole('link', { name: 'INV-3', exact: true }).click();
      await page.waitForSelector('h1:has-text("KES 100.00")');
      await visit(page, ofMerchant('/transactions?done=seen'));
      const row = page.locator('tr', {
        has: page.getByRole('link', { name: 'INV-3', exact: true }),
      });
      expect(await row.textContent()).toContain('Partly refunded');
      await lookAt(page, 'list');
    });
    expect(looked).toEqual([]);
  }, 600_000);
});

describe('names chosen by others', () => {
  it('are shown as text, even if they contain markup', async () => {
    await as('viewer', async (page) => {
      await visit(page, '/portal/status');
      expect(await page.textContent('.who b')).toBe(`Vera ${hostile}`);
      for (const place of ['/transactions', '/keys', '/days']) {
        await visit(page, ofMerchant(place, fixture.otherMerchantId));
        expect(await page.locator('img').count()).toBe(0);
        expect(await page.title()).not.toBe('owned');
      }
    });
    await as('owner', async (page) => {
      await visit(page, ofMerchant('/transactions?status=failed'));
      await page.locator('summary', { hasText: 'Save view' }).click();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(hostile);
      await page.keyboard.press('Enter');
      await page.waitForSelector('[role=status]');
      expect(await page.locator('a', { hasText: hostile }).count()).toBe(1);
      expect(await page.locator('img').count()).toBe(0);
    });
  });
});

describe('with a keyboard', () => {
  const focused = (page: Page): Promise<string> =>
    page.evaluate(
      '(document.activeElement.textContent || document.activeElement.id).trim().split("\\n")[0]',
    );

  it('the first key skips the navigation, and focus follows the order of the page', async () => {
    await as('auditor', async (page) => {
      await visit(page, '/portal/find');
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe('Skip to the content');
      expect(await look(page, '/portal/skip-link')).toEqual([]);
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);

      await visit(page, '/portal/find');
      const order: string[] = [];
      for (let step = 0; step < 5; step += 1) {
        await page.keyboard.press('Tab');
        order.push(await focused(page));
      }
      expect(order).toEqual([...['Skip to the content', 'PesaPost', 'search-term', 'WK', 'Home']]);
    });
  });

  it('focus stays in place when a page that polls shows updates', async () => {
    await as('admin', async (page) => {
      await page.clock.install();
      await visit(page, '/portal/waiting');
      await page.locator('#content :is(a, button)').first().focus();
      await page.evaluate('window.before = document.activeElement');
      await page.evaluate('document.querySelector("h1").textContent = "old"');
      const asked = page.waitForResponse((response) => response.url().endsWith('/portal/waiting'));
      await page.clock.fastForward(31_000);
      await asked;
      await page.waitForFunction('document.querySelector("h1").textContent !== "old"');
      expect(
        await page.evaluate(
          'window.before === document.activeElement && window.before.isConnected',
        ),
      ).toBe(true);
    });
  });
});

describe('an auditor', () => {
  it('verifies a proof in the browser, and sees a warning if the key is different', async () => {
    await as('auditor', async (page) => {
      await visit(page, '/portal/audit');
      const key = await page.locator('dd code').last().textContent();
      await visit(page, '/portal/audit/proof');
      await page.fill('#reference', 'INV-1');
      await page.getByRole('button', { name: 'Verify', exact: true }).click();
      await page.fill('#trusted', key ?? '');
      await page.getByRole('button', { name: 'Verify proof' }).click();
      await page.waitForSelector('#verdict:has-text("The proof holds.")');
      expect(await look(page)).toEqual([]);
      await page.fill('#trusted', 'ab'.repeat(32));
      await page.getByRole('button', { name: 'Verify proof' }).click();
      await page.waitForSelector('#verdict:has-text("DOES NOT HOLD")');
    });
    await as(
      'auditor',
      async (page) => {
        await visit(page, '/portal/audit/proof?reference=INV-1');
        expect(await page.isVisible('#check')).toBe(false);
        expect(await page.textContent('main')).toContain('node verifier/verify.mjs');
      },
      { javaScript: false },
    );
  });

  it('opens evidence for a reason and with proof of presence, and the history has the name', async () => {
    await as('auditor', async (page) => {
      const open = async (reason: string): Promise<void> => {
        await visit(page, '/portal/audit/evidence');
        await page.fill('#reference', 'INV-1');
        await page.fill('#reason', reason);
        await page.getByRole('button', { name: 'Open evidence' }).click();
        await page.waitForSelector('.dialog h1');
        expect(await page.textContent('main')).toContain(reason);
        await page.locator('a[href$="/prove"]').click();
        // A person takes a second; by whole seconds, a quicker proof may look older than the way to it (PEO-50).
        await page.waitForTimeout(1100);
        await fixture.fillIn(page, 'auditor');
        await page.getByRole('button', { name: 'Verify', exact: true }).click();
        await page.getByRole('button', { name: 'Confirm now' }).click();
      };
      await open('call 0712345678');
      await page.waitForSelector('#reason[aria-invalid]');
      expect(await look(page, '/portal/audit/evidence/refused')).toEqual([]);
      await open('dispute 4711');
      await page.waitForSelector('h1:has-text("Evidence of INV-1")');
      expect(await page.textContent('main')).toContain('"reference":"INV-1"');
      expect(await page.textContent('main')).toContain('the signature is valid');
      expect(await look(page, '/portal/audit/evidence/opened')).toEqual([]);
      // Search by a part of the name from the issuer; the projector shows it a moment later.
      const row = await eventually(
        async () => {
          await visit(page, '/portal/audit/people?person=wanjiru&kind=evidence');
          return page.textContent('main');
        },
        (text) => text?.includes('dispute 4711') === true,
      );
      expect(row).toContain('Opened evidence');
      expect(row).toContain('Wanjiru Kamau');
      expect(await look(page)).toEqual([]);
    });
    await as('admin', (page) => visit(page, '/portal/audit/evidence', 403).then(() => undefined));
  });
});
