import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { dayAt, packageDirectory } from '#infra/runtime';
import {
  eventually,
  inheritedEnvironment,
  MerchantClient,
  type CommandOutcome,
  typed,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { installDeadlineMs, launchChromium } from '../browser/chromium.js';
import { type Demo, LauncherRun, temporaryDataDir } from './launcher.js';
import { confirmCode, type Form } from './visitor.js';

/** The amount requested from 254700000010, the larger amount that it pays, and the fee on the latter. */
const [askedMinor, arrivedMinor, feeMinor] = [10_000, 10_001, 150];

let run: LauncherRun;
let demo: Demo;
let merchant: MerchantClient;
let browser: Browser;
let folder: string;
const directory = temporaryDataDir();

beforeAll(async () => {
  await awayFromMidnight();
  // A collection without a report is listed for review at once, and not after two days.
  run = new LauncherRun(directory.path, { RAIL_REVIEW_AFTER: '5s' });
  [browser, folder] = await Promise.all([
    launchChromium(),
    mkdtemp(join(tmpdir(), 'pesapost-tour-')),
    run.ready(),
  ]);
  ({ demo } = run);
  merchant = clientOf('v4');
}, installDeadlineMs);
afterAll(async () => {
  run.signal('SIGTERM');
  await Promise.all([run.exited, browser.close(), rm(folder, { recursive: true })]);
  directory.remove();
});

/** Everything must happen on one day of the demo merchant: near its midnight, this waits for it. */
async function awayFromMidnight(): Promise<void> {
  const leftMs = 86_400_000 - ((Date.now() + 3 * 3_600_000) % 86_400_000);
  if (leftMs < 5 * 60_000) await new Promise((resolve) => setTimeout(resolve, leftMs + 1_000));
}

function clientOf(name: 'v4' | 'v4_checker'): MerchantClient {
  const { client_id = '', client_secret = '', private_key_pem = '' } = demo[name];
  return new MerchantClient(demo.base_url, {
    merchantId: demo.merchant_id,
    accountNo: demo.v4['account_no'] ?? '',
    clientId: client_id,
    clientSecret: client_secret,
    privateKeyPem: private_key_pem,
  });
}

/** The data of a person in the demo's file. */
function personOf(login: string): Form {
  const { password = '' } = demo.portal.people.find((each) => each['login'] === login) ?? {};
  return { login, password };
}

const today = (): string => dayAt(Date.now(), demo.timezone);

/** The rail's own statement, as M-Pesa's portal exports it. */
async function statement(): Promise<string> {
  return (await fetch(`${demo.simulator_url}/_statement.csv`)).text();
}

/** A collection with another amount, one that never answers, and a payout without a result. */
interface Asked {
  readonly other: string;
  readonly silent: string;
  readonly payout: string;
}

/** Requests them as the merchant's own system does; all three then wait for a person. */
async function comeToReview(prefix: string): Promise<Asked> {
  const asked = { other: `${prefix}-10`, silent: `${prefix}-13`, payout: `${prefix}-106` };
  const { account_no, currency } = demo.v4;
  const post = async (client: MerchantClient, path: string, body: object): Promise<void> => {
    const headers = { 'idempotency-key': randomUUID() };
    const { status } = await client.send('POST', path, { body: JSON.stringify(body), headers });
    expect({ path, status }).toEqual({ path, status: 202 });
  };
  await Promise.all([
    merchant.collect({ phone: '254700000010', reference: asked.other }),
    merchant.collect({ phone: '254700000013', reference: asked.silent }),
    post(merchant, '/api/v4/payouts', {
      account_no,
      currency,
      channel: 'mpesa',
      reference: asked.payout,
      phone: '254700000106',
      amount_minor: 1_000,
    }).then(() => post(clientOf('v4_checker'), `/api/v4/payouts/${asked.payout}/approve`, {})),
  ]);
  await Promise.all(
    [`collections/${asked.other}`, `collections/${asked.silent}`, `payouts/${asked.payout}`].map(
      (path) =>
        eventually(
          () => merchant.get(`/api/v4/${path}`),
          ({ body }) => body['under_review'] === true,
          { everyMs: 200 },
        ),
    ),
  );
  return asked;
}

async function postedMinor(): Promise<number> {
  const { body } = await merchant.get(`/api/v4/accounts/${demo.v4['account_no']}/balance`);
  return Number(body['posted_minor']);
}

async function listedOf(asked: Asked): Promise<Record<string, unknown>[]> {
  const { body } = await merchant.get('/api/v4/transactions?limit=100');
  return (body['data'] as Record<string, unknown>[]).filter(({ reference }) =>
    Object.values(asked).includes(String(reference)),
  );
}

/** The three in V4 once they are decided: list, item and balance at once. */
async function expectDecided(asked: Asked, postedBefore: number): Promise<void> {
  const posted = postedBefore + arrivedMinor - feeMinor;
  await eventually(postedMinor, (minor) => minor === posted);
  // The views show one decision after the other.
  const listed = await eventually(
    () => listedOf(asked),
    (items) => items.every((item) => item['under_review'] === false),
  );
  const byReference = new Map(listed.map((item) => [item['reference'], item]));
  expect(byReference.get(asked.other)).toMatchObject({
    status: 'completed',
    under_review: false,
    amount_minor: arrivedMinor,
    requested_minor: askedMinor,
    fee_minor: feeMinor,
  });
  for (const reference of [asked.silent, asked.payout])
    expect(byReference.get(reference)).toMatchObject({ status: 'failed', under_review: false });
}

/** The number of times that the merchant's receiver got an event and verified it. */
async function received(id: string): Promise<number> {
  const answer = await fetch(`${demo.webhook_receiver_url}/_received`);
  const { received: all } = (await answer.json()) as {
    received: { verified: boolean; headers: Record<string, string> }[];
  };
  return all.filter((each) => each.verified && each.headers['pesapost-event-id'] === id).length;
}

describe('by the portal alone', () => {
  let asked: Asked;
  let postedBefore: number;
  beforeAll(async () => {
    postedBefore = await postedMinor();
    asked = await comeToReview('WEB');
  });

  /** Acts as a person in a browser of their own, signed in from the address that `npm start` prints. */
  async function as(
    login: string,
    work: (page: Page) => Promise<void>,
    options: { readonly javaScript?: boolean } = {},
  ): Promise<void> {
    const context = await browser.newContext({
      locale: 'en-KE',
      javaScriptEnabled: options.javaScript ?? true,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(demo.portal.url);
    await fillIn(page, login, 'Sign in');
    await page.waitForSelector('.who b');
    await work(page);
    await context.close();
  }

  async function fillIn(page: Page, login: string, button: string): Promise<void> {
    await page.fill('#login', login);
    await page.fill('#password', personOf(login).password);
    await page.getByRole('button', { name: button, exact: true }).click();
  }

  /** Confirms the page that describes the act, and proves presence at the provider. */
  async function prove(page: Page, login: string, shown: readonly string[]): Promise<void> {
    await page.waitForSelector('.dialog h1');
    const told = await page.textContent('main');
    for (const each of shown) expect(told).toContain(each);
    await page.getByRole('link', { name: /^Verify / }).click();
    // A person takes a second; by whole seconds, a quicker proof may look older than the way to it (PEO-50).
    await page.waitForTimeout(1100);
    await fillIn(page, login, 'Verify');
    await page.getByRole('button', { name: / now$/ }).click();
    await page.waitForSelector('[role=status]');
  }

  const follow = (page: Page, name: string): Promise<void> =>
    page.getByRole('link', { name, exact: true }).first().click();

  /** Follows a place of the sidebar, whose link may end in the number of things that wait there. */
  const goTo = (page: Page, place: string): Promise<void> =>
    page.locator('.nav a', { hasText: place }).click();

  /** From the merchant's first page: demo mode, the day, the file. */
  async function close(page: Page): Promise<string> {
    if (!(await page.isVisible('.mode-demo'))) await follow(page, 'Demo');
    await goTo(page, 'Reconciliation');
    await page.locator('.days .ref a').first().click();
    const buffer = Buffer.from(await statement());
    const file = { name: 'statement.csv', mimeType: 'text/csv', buffer };
    await page.setInputFiles('#statement', file);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.waitForSelector('[role=status]');
    return (await page.textContent('main')) ?? '';
  }

  it('a day does not agree while money waits for a person, and the page names it', async () => {
    await as('shop-finance', async (page) => {
      const told = await close(page);
      expect(told).toContain('Open: 1');
      expect(told).toContain('Held until it is decided');
      await follow(page, asked.other);
      await page.waitForSelector(`.named:has-text("${asked.other}")`);
    });
  });

  it('one operator proposes, decides alone what moves no money, and cannot confirm their own', async () => {
    await as('finance', async (page) => {
      const decide = async (reference: string, decision: string, shown: readonly string[]) => {
        await goTo(page, 'Reviews');
        await follow(page, reference);
        await page.locator(`#decision-${decision}`).check();
        await page.locator('#reason').fill(`as the statement has ${reference}`);
        await page.locator('#decide').getByRole('button').click();
        await prove(page, 'finance', [reference, ...shown]);
      };
      await decide(asked.other, 'suspense_to_merchant', ['KES 100.01', '2547*****010']);
      expect(await page.textContent('main')).toContain('Proposed');
      expect(await page.textContent('main')).toContain('Another operator must confirm it');
      expect(await page.getByRole('button', { name: 'Confirm this decision' }).count()).toBe(0);
      await decide(asked.payout, 'failed', ['KES 10.00']);
      await decide(asked.silent, 'failed', ['KES 100.00']);
      await goTo(page, 'Approvals');
      expect(await page.textContent('main')).toContain('No approvals for you');
      for (const name of ['Confirm this decision', 'Confirm selected'])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Withdraw' }).count()).toBe(2);
    });
    expect(await postedMinor()).toBe(postedBefore);
  });

  it('another confirms both from what waits for them, without JavaScript, and the ledger holds it', async () => {
    await as(
      'finance2',
      async (page) => {
        await goTo(page, 'Approvals');
        for (const reference of [asked.other, asked.payout])
          await page.getByRole('checkbox', { name: `Choose ${reference}`, exact: true }).check();
        await page.getByRole('button', { name: 'Confirm selected' }).click();
        await prove(page, 'finance2', [asked.other, asked.payout]);
        expect(await page.textContent('main')).toContain('Done: 2. Not done: 0.');
      },
      { javaScript: false },
    );
    await expectDecided(asked, postedBefore);
  });

  it('the day agrees with the same statement then, without JavaScript', async () => {
    await as(
      'shop-finance',
      async (page) => {
        const told = await close(page);
        expect(told).toContain('No differences so far');
        await goTo(page, 'Reconciliation');
        expect(await page.locator('.days tbody tr').first().textContent()).toContain('Matched');
      },
      { javaScript: false },
    );
  });

  it('the developer has a webhook sent again, and the receiver gets the same id', async () => {
    await as('shop-developer', async (page) => {
      if (!(await page.isVisible('.mode-demo'))) await follow(page, 'Demo');
      await goTo(page, 'Webhooks');
      await follow(page, 'collection.completed');
      const id = (await page.locator('dd code').first().textContent()) ?? '';
      const before = await received(id);
      expect(before).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Resend', exact: true }).click();
      await page.waitForSelector('[role=status]');
      await eventually(
        () => received(id),
        (times) => times === before + 1,
      );
      await eventually(
        async () => {
          await page.reload();
          return page.locator('tbody tr').count();
        },
        (attempts) => attempts === before + 1,
      );
    });
  });
});

/** A person at a terminal of their own; a folder of theirs stores the signed-in session. */
class Terminal {
  constructor(readonly home: string) {}

  get #env(): Readonly<Record<string, string>> {
    return { DATA_DIR: directory.path, XDG_CONFIG_HOME: join(folder, this.home) };
  }

  run(...words: readonly string[]): Promise<CommandOutcome> {
    return typed(this.#env, ...words);
  }

  /** The JSON of a command that succeeds. */
  async json(...words: readonly string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await this.run(...words, '--json');
    expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** Signs in with the code that the command prints and the person confirms at the provider. */
  async login(): Promise<void> {
    const main = join(packageDirectory('dist'), 'apps/cli/src/main.js');
    const child = spawn(process.execPath, [main, 'login', '--fresh'], {
      cwd: packageDirectory(),
      env: { ...inheritedEnvironment(), ...this.#env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'close') as Promise<[number]>;
    const [line] = (await once(createInterface(child.stderr), 'line')) as [string];
    expect((await confirmCode(line, personOf(this.home))).text).toContain(
      'Go back to the command line',
    );
    expect(await ended).toEqual([0, null]);
  }
}

describe('by the command line alone', () => {
  const [one, other] = [new Terminal('finance'), new Terminal('finance2')];
  let asked: Asked;
  let postedBefore: number;
  let whose: readonly string[];
  beforeAll(async () => {
    whose = ['--merchant', demo.merchant_id, '--mode', 'demo'];
    postedBefore = await postedMinor();
    [asked] = await Promise.all([comeToReview('CLI'), one.login(), other.login()]);
  });

  async function reconcile(): Promise<CommandOutcome & { readonly open: readonly unknown[] }> {
    const file = join(folder, 'statement.csv');
    await writeFile(file, await statement());
    const told = await one.run(
      ...['reconcile', '--merchant', demo.merchant_id, '--account', demo.v4['account_no'] ?? ''],
      ...['--date', today(), '--statement', file, '--json'],
    );
    const report = JSON.parse(told.stdout) as { open_listed: { reference: string | null }[] };
    return { ...told, open: report.open_listed.map(({ reference }) => reference) };
  }

  it('the day does not agree, and two people decide what waits', async () => {
    expect(await reconcile()).toMatchObject({ code: 1, open: [asked.other] });
    const { reviews } = await one.json('review', 'list', ...whose);
    expect((reviews as { reference: string }[]).map(({ reference }) => reference).sort()).toEqual(
      Object.values(asked).sort(),
    );
    const shown = await one.run('review', 'show', asked.other);
    expect(shown.stdout).toContain('--decision suspense_to_merchant');

    const resolve = (reference: string, decision: string) => {
      const why = ['--decision', decision, '--reason', 'as the statement has it'];
      return one.json('review', 'resolve', reference, ...whose, ...why);
    };
    const [proposed, payout, failed] = await Promise.all([
      resolve(asked.other, 'suspense_to_merchant'),
      resolve(asked.payout, 'failed'),
      resolve(asked.silent, 'failed'),
    ]);
    expect([proposed['outcome'], payout['outcome'], failed['outcome']]).toEqual([
      ...['proposed', 'proposed', 'decided'],
    ]);
    const proposal = ['--proposal', String(proposed['proposal_id'])];
    const own = await one.run('review', 'confirm', asked.other, ...whose, ...proposal);
    expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('cannot confirm it')]);
    expect(await postedMinor()).toBe(postedBefore);

    const unread = await other.run('review', 'confirm', asked.payout, ...whose);
    expect([unread.code, unread.stderr]).toEqual([1, expect.stringContaining('add --proposal ID')]);
    await Promise.all([
      other.json('review', 'confirm', asked.other, ...whose, ...proposal),
      other.json(
        ...['review', 'confirm', asked.payout, ...whose],
        ...['--proposal', String(payout['proposal_id'])],
      ),
    ]);
    await expectDecided(asked, postedBefore);
    expect(await reconcile()).toMatchObject({ code: 0, stderr: '', open: [] });
  });

  it('a webhook is sent again, and the receiver gets the same id', async () => {
    const { deliveries } = await one.json('webhook', 'deliveries', ...whose);
    const id = (deliveries as { id: string }[])[0]?.id ?? '';
    const before = await received(id);
    expect(before).toBeGreaterThan(0);
    await one.json('webhook', 'resend', id, '--reason', 'their server was down');
    await eventually(
      () => received(id),
      (times) => times === before + 1,
    );
  });
});
