import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WrongExpectedRevision } from '#domain/event-sourcing';
import { type HeldRole, personId, type RoleEvent, roleStream } from '#domain/people';
import { type EventStoreDb } from '#infra/eventstoredb';
import { dayAt } from '#infra/runtime';
import {
  eventually,
  freePort,
  MerchantClient,
  onboardMerchant,
  openStore,
  type OwnServers,
  pesapost,
  type Service,
  signedInAs,
  startOwnServers,
  startService,
} from '#testing';
import { type Answer, Browser } from '../../libs/edges/portal/test/browser.js';
import { english as texts } from '../../libs/edges/portal/src/merchant/refunds/refund-texts.en.js';
import { clientId, clientSecret, FakeIssuer } from '../../libs/edges/portal/test/fake-issuer.js';

let service: Service;
let issuer: FakeIssuer;
/** The merchant's receiver; it accepts every webhook. */
let receiver: Server;
let store: EventStoreDb;
let servers: OwnServers;
/** Runs a command as a signed-in operator. */
let operate: (...words: readonly string[]) => ReturnType<typeof pesapost>;
let merchant: MerchantClient;
let origin: string;
/** The number of the customer of both collections. */
const phone = '254711222333';
let base: string;
/** In the merchant's zone. */
let date: string;
const today = () => dayAt(Date.now(), 'Africa/Nairobi');

/** An id for this run: the log of roles is shared. */
const run = randomUUID().slice(0, 8);
const people = {
  asha: `asha-${run}`,
  joseph: `joseph-${run}`,
  dev: `dev-${run}`,
  other: `other-${run}`,
};
let asha: Browser;
let joseph: Browser;
let dev: Browser;
let other: Browser;

beforeAll(async () => {
  issuer = new FakeIssuer();
  receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  await issuer.start();
  // A log of its own: if people have roles, no other spec's typed names would count.
  servers = await startOwnServers();
  store = openStore(servers.env['EVENTSTORE_URL']);
  service = await startService({
    ...servers.env,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    // No payout is given to it here.
    RAIL_AIRTEL_DEMO_URL: 'http://127.0.0.1:9',
    RAIL_AIRTEL_DEMO_CLIENT_ID: 'client',
    RAIL_AIRTEL_DEMO_CLIENT_SECRET: 'secret',
    RAIL_AIRTEL_DEMO_ENCRYPTED_PIN: 'c2VhbGVk',
  });
  ({ merchant } = service);
  const { merchantId } = merchant.credentials;
  const others = await onboardMerchant(service.env);
  const port = await freePort();
  origin = `http://localhost:${port}`;
  await service.startReplica('api', {
    PORT: String(port),
    PORTAL_URL: origin,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  });
  const asOperator = await signedInAs(
    servers.env.DATABASE_URL,
    { issuer: issuer.url, subject: 'operator' },
    await issuer.commandLineToken('operator'),
  );
  operate = (...words) => pesapost({ ...service.env, ...asOperator }, ...words);
  for (const role of ['admin', 'auditor'] as const) await grant('operator', { role });
  await grant(people.asha, { role: 'finance', merchantId });
  await grant(people.joseph, { role: 'finance', merchantId });
  await grant(people.dev, { role: 'developer', merchantId });
  await grant(people.other, { role: 'owner', merchantId: others.merchantId });
  base = `/portal/merchants/${merchantId}/demo`;
  await operate(
    ...['webhook', 'set', '--merchant', merchantId, '--mode', 'demo', '--kind', 'v4'],
    ...[
      '--url',
      `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
      '--reason',
      'test',
    ],
  );
  for (const reference of ['INV-1', 'INV-2']) await merchant.collect({ reference, phone });
  await eventually(
    () => merchant.get('/api/v4/transactions?status=completed'),
    ({ body }) => (body['data'] as unknown[]).length === 2,
  );
  date = today();
  asha = await signedIn(people.asha);
  joseph = await signedIn(people.joseph);
  dev = await signedIn(people.dev);
  other = await signedIn(people.other);
});
afterAll(async () => {
  await service.stop();
  await store.dispose();
  await issuer.stop();
  receiver.close();
  await servers.stop();
});

/** Grants as two admins do; other runs write to the same stream. */
async function grant(subject: string, role: HeldRole): Promise<void> {
  const person = personId({ issuer: issuer.url, subject });
  const data = { ...role, person, name: subject, proposedBy: 'one', confirmedBy: 'two' };
  const event: RoleEvent = { type: 'RoleGranted', data };
  const actor = { kind: 'operator', id: 'two' } as const;
  const metadata = { v: 1, correlationId: randomUUID(), actor };
  for (;;) {
    const last = await store.readLast(roleStream);
    try {
      await store.append(roleStream, last?.revision ?? 'no_stream', [
        { id: randomUUID(), event, metadata },
      ]);
      return;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }
}

async function signedIn(subject: string): Promise<Browser> {
  const browser = new Browser(origin, issuer);
  await browser.signIn({ subject }, '/portal');
  return browser;
}

async function tokenOf(browser: Browser): Promise<string> {
  const { location } = await browser.get('/portal');
  const { text } = await browser.get(location);
  return /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

/** Sends a form of the session's own. */
async function submit(
  browser: Browser,
  target: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer> {
  return browser.post(target, { fields: { form_token: await tokenOf(browser), ...fields } });
}

/** Sends a form that needs proof of presence: proves it at the issuer, and has it executed. */
async function confirmed(
  [browser, subject]: readonly [Browser, string],
  target: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer> {
  const { location } = await submit(browser, target, fields);
  expect(location).toMatch(/^\/portal\/confirm\//);
  const proving = await browser.get(`${location}/prove`);
  const back = await browser.get(issuer.approve(proving.location, { subject }));
  const { text } = await browser.get(back.location);
  const held = /name="held" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return submit(browser, target, { held });
}

function closing(csv: string, name = 'statement.csv'): FormData {
  const form = new FormData();
  form.append('account', merchant.credentials.accountNo);
  form.append('statement', new Blob([csv], { type: 'text/csv' }), name);
  return form;
}

/** The day has one open line: an item that is not on its statement. */
async function markHandled(page: string): Promise<void> {
  const { text } = await eventually(
    () => asha.get(page),
    (answer) => answer.text.includes('name="line"'),
  );
  const seen = /name="seen" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const fields = { account: merchant.credentials.accountNo, seen, line: '0', note: 'asked M-Pesa' };
  const target = `${base}/days/${date}/exceptions`;
  const noteOf = { ...fields, note: 'call 0712345678' };
  expect((await submit(asha, target, noteOf)).status).toBe(422);
  const { line: _line, ...none } = fields;
  expect((await submit(asha, target, none)).status).toBe(422);
  expect((await submit(asha, target, { ...fields, line: '7' })).status).toBe(404);
  expect((await submit(asha, target, { ...fields, seen: 'earlier' })).status).toBe(409);
  expect((await asha.get(page)).text).not.toContain('asked M-Pesa');
  const marked = await submit(asha, target, fields);
  expect(marked.location).toContain('done=handled');
  const noted = (client: typeof asha, note: string) =>
    eventually(
      () => client.get(marked.location),
      (answer) => answer.text.includes(`: ${note}`),
    );
  expect((await noted(joseph, 'asked M-Pesa')).text).toContain(people.asha);
  // A second note does not replace the first.
  expect((await submit(joseph, target, { ...fields, note: 'it came back' })).status).toBe(303);
  expect((await noted(asha, 'it came back')).text).toContain(': asked M-Pesa');
}

describe('a merchant’s finance people', () => {
  it('see the list and the account’s balance at one position, and save a view of it', async () => {
    const { status, text } = await asha.get(`${base}/transactions?type=collection`);
    expect(status).toBe(200);
    expect(text).toContain('INV-1');
    expect(text).toContain('KES 197.00');
    expect(text).toMatch(/Ledger position \d+/);
    expect(text).not.toContain('254712345678');
    const kept = await submit(asha, `${base}/transactions/views`, {
      name: '<b>mine</b>',
      query: 'type=collection&cursor=nonsense',
    });
    expect([kept.status, kept.location]).toEqual([
      303,
      `${base}/transactions?type=collection&done=kept`,
    ]);
    const again = await asha.get(kept.location);
    expect(again.text).toContain('&lt;b&gt;mine&lt;/b&gt;');
    expect((await joseph.get(`${base}/transactions`)).text).not.toContain('mine');
    const past = await asha.get(`${base}/transactions?at=1`);
    expect(past.text).not.toContain('INV-1');
  });

  it('export the filtered list as a file, however many pages it has', async () => {
    const file = await asha.get(`${base}/transactions/export.csv?type=collection&from=${date}`);
    expect(file.headers.get('content-disposition')).toContain(
      `filename="transactions-collection-${date}-last.csv"`,
    );
    const [head, ...rows] = file.text.trimEnd().split('\r\n');
    expect(head).toMatch(/^date,type,reference,status,/);
    expect(rows.map((row) => row.split(',')[2])).toEqual(['INV-2', 'INV-1']);
    expect(rows[0]).toContain(',completed,no,100.00,1.50,KES,');
    const none = await asha.get(`${base}/transactions/export.csv?type=payout&at=1`);
    expect(none.text.trimEnd().split('\r\n')).toHaveLength(1);
    expect((await asha.get(`${base}/transactions/export.csv?from=never`)).status).toBe(422);
    // A developer sees the list but takes no file of it.
    expect((await dev.get(`${base}/transactions/export.csv`)).status).toBe(403);
  });

  it('find an item by its reference or its receipt, and no item of another merchant', async () => {
    const { body } = await merchant.get('/api/v4/collections/INV-1');
    const receipt = String(body['receipt']).toLowerCase();
    const find = (word: string, who = asha, at = base): Promise<Answer> =>
      submit(who, `${at}/transactions/find`, { word });
    // A single payment is shown at once.
    for (const word of ['INV-1', ` ${receipt} `])
      expect(await find(word)).toMatchObject({
        status: 303,
        location: `${base}/items/collection/INV-1`,
      });
    const ownPlace = `/portal/merchants/${(await other.get('/portal')).location.split('/')[3]}/demo`;
    const nowhere = [
      await find('inv-1'),
      await find(receipt, asha, base.replace('/demo', '/live')),
      await find(receipt, other, ownPlace),
    ];
    for (const { status, text } of nowhere)
      expect([status, text.includes('No payment found')]).toEqual([200, true]);
  });

  it('find several items by the customer’s number or the beginning of a reference', async () => {
    for (const word of ['INV-', '0711 222 333', '+254711222333']) {
      const { status, text } = await submit(asha, `${base}/transactions/find`, { word });
      expect([word, status]).toEqual([word, 200]);
      for (const reference of ['INV-1', 'INV-2'])
        expect(text).toContain(`href="${base}/items/collection/${reference}"`);
      expect(text).toContain('2547*****333');
      expect(text).toContain(`value="${word}"`);
    }
    const ownPlace = `/portal/merchants/${(await other.get('/portal')).location.split('/')[3]}/demo`;
    for (const [word, at, who] of [
      ['INV', base, asha],
      ['INV-', base.replace('/demo', '/live'), asha],
      ['0711222333', base.replace('/demo', '/live'), asha],
      ['0711222333', ownPlace, other],
      ['INV-', ownPlace, other],
    ] as const) {
      const { text } = await submit(who, `${at}/transactions/find`, { word });
      expect([word, at, text.includes('No payment found')]).toEqual([word, at, true]);
    }
  });

  it('see one collection with its timeline, receipt and proof, as in the API', async () => {
    const { text } = await asha.get(`${base}/items/collection/INV-1`);
    expect(text).toContain('Posted to your account');
    const file = await asha.get(`${base}/items/collection/INV-1/receipt.json`);
    const { body } = await merchant.get('/api/v4/collections/INV-1/receipt');
    expect(JSON.parse(file.text)).toMatchObject({ item: body['item'] as object });
  });

  it('print the receipt of a completed payment, and of no other payment', async () => {
    const item = await asha.get(`${base}/items/collection/INV-1`);
    expect(item.text).toContain(`href="${base}/items/collection/INV-1/receipt"`);
    const receipt = await asha.get(`${base}/items/collection/INV-1/receipt`);
    const [, paper = ''] =
      /<article class="card paper"([\s\S]*?)<\/article>/.exec(receipt.text) ?? [];
    for (const shown of [
      'KES 100.00',
      '2547*****333',
      'INV-1',
      'EAT',
      'Paid',
      'Demo: no real money',
    ])
      expect(paper).toContain(shown);
    expect(paper).toMatch(/Entry [0-9a-f]{12}, not sealed yet/);
  });

  it('download statements as files, whose names and content contain the position', async () => {
    const { accountNo } = merchant.credentials;
    const of = `account=${accountNo}&from=${date}&to=${date}`;
    const mayBeOver = today() > date;
    const csv = await asha.get(`${base}/statement/file?${of}&format=csv`);
    const name = csv.headers.get('content-disposition') ?? '';
    const position = /position-(\d+)\.csv/.exec(name)?.[1] ?? 'none';
    const kind = /,(closing|interim)_balance,/.exec(csv.text)?.[1];
    expect([mayBeOver, today() > date]).toContain(kind === 'closing');
    expect(csv.text).toContain(`,${position},${String(kind)}_balance,`);
    expect(csv.text).toContain('197.00');
    const xml = await asha.get(`${base}/statement/file?${of}&format=camt.053`);
    expect(xml.text).toContain('camt.053.001.08');
    const pdf = await asha.get(`${base}/statement/file?${of}&format=pdf`);
    expect(pdf.text.slice(0, 5)).toBe('%PDF-');
    expect((await asha.get(`${base}/statement/file?account=${accountNo}`)).status).toBe(422);
  });

  it('close a day with the rail’s own file, recorded under their name', async () => {
    const target = `${base}/days/${date}/statement`;
    const open = await asha.get(`${base}/days`);
    for (const shown of ['>200.00</span>', 'Not compared']) expect(open.text).toContain(shown);
    const csv = await (await fetch(`${service.simulatorUrl}/_statement.csv`)).text();
    const forged = await asha.upload(target, closing(csv));
    expect([forged.status, forged.text.includes('another session')]).toEqual([403, true]);
    const send = async (text: string): Promise<Answer> => {
      const form = new FormData();
      form.append('form_token', await tokenOf(asha));
      for (const [key, value] of closing(text)) form.append(key, value);
      return asha.upload(target, form);
    };
    const refused = await send('these,are\nno,statement\n');
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('role="alert"');
    const partly = await send(csv.split('\r\n').toSpliced(-2, 1).join('\r\n'));
    await markHandled(partly.location);
    const closed = await send(csv);
    expect([closed.status, closed.location]).toEqual([303, expect.stringContaining('done=closed')]);
    const page = await eventually(
      () => asha.get(closed.location),
      ({ text }) => text.includes('No differences so far'),
    );
    expect(page.text).toContain('KES 200.00');
    const { merchantId } = merchant.credentials;
    const listed = await operate('reconcile', 'list', '--merchant', merchantId);
    expect(listed['reconciliations']).toMatchObject([
      { operator: `${issuer.url}#${people.asha}`, open: 0 },
      { operator: `${issuer.url}#${people.asha}`, open: 1 },
    ]);
    const [{ id }] = listed['reconciliations'] as unknown as [{ readonly id: string }];
    expect(await operate('reconcile', 'show', id)).toMatchObject({ by: 'merchant' });
    const days = await asha.get(`${base}/days`);
    expect(days.text).toContain(people.asha);
    // The account was opened when this run began, today or just before midnight.
    expect([1, 2, 3]).toContain(new Set(days.text.match(/\/days\/\d{4}-\d\d-\d\d\?/g)).size);
    expect((await dev.get(`${base}/days`)).status).toBe(403);
  });

  it('request a payout once, and another person approves it with proof of presence', async () => {
    const ask = await asha.get(`${base}/payouts/ask`);
    const reference = /value="([^"]+)"\s+id="reference"/.exec(ask.text)?.[1] ?? '';
    const { accountNo: account } = merchant.credentials;
    const fields = { account, phone: '0712 345 678', amount: '50.00', reference };
    const short = await submit(asha, `${base}/payouts`, { ...fields, amount: '1000000' });
    expect(short.status).toBe(422);
    const checked = await submit(asha, `${base}/payouts/check`, fields);
    expect(checked.text).toContain(`action="${base}/payouts"`);
    for (const shown of ['KES 50.00', '0712 345 678', 'Demo: no real money', 'Available after'])
      expect(checked.text).toContain(shown);
    expect((await merchant.get(`/api/v4/payouts/${reference}`)).status).toBe(404);
    const first = await submit(asha, `${base}/payouts`, fields);
    expect([first.location, first.text]).toEqual([`${base}/payouts?done=asked`, '']);
    expect((await asha.get(first.location)).text).toContain(`/payouts/waiting/${reference}"`);
    expect((await submit(asha, `${base}/payouts`, fields)).location).toContain('done=existing');
    const another = await submit(asha, `${base}/payouts`, { ...fields, amount: '60.00' });
    expect(another.text).toContain('Another payout has this reference');

    const own = await asha.get(`${base}/payouts/waiting/${reference}`);
    expect(own.text).toContain('another person must decide');
    // No page shows the form's other fields, only the payout and the amount that was seen.
    const decision = { reference, amount_minor: '5000', currency: 'USD', phone: 'my own' };
    const byAsker = await confirmed([asha, people.asha], `${base}/payouts/approve`, decision);
    expect(byAsker.status).toBe(409);
    const other = { ...decision, amount_minor: '4900' };
    const changed = await submit(joseph, `${base}/payouts/approve`, other);
    expect([changed.status, changed.text.includes('It has changed since')]).toEqual([409, true]);
    const held = await submit(joseph, `${base}/payouts/approve`, decision);
    const asking = (await joseph.get(held.location)).text;
    expect(asking).toContain('KES 50.00');
    expect(asking).toContain('2547*****678');
    expect(asking).toContain('Available after');
    expect(asking).not.toMatch(/USD|my own/);
    const waiting = await joseph.get(`${base}/payouts/waiting/${reference}`);
    expect(waiting.text).toContain('name="amount_minor" value="5000"');
    const approved = await confirmed([joseph, people.joseph], `${base}/payouts/approve`, decision);
    expect(approved.location).toContain('done=approved');
    const paid = await eventually(
      () => merchant.get(`/api/v4/payouts/${reference}`),
      ({ body }) => body['status'] === 'completed',
    );
    expect(paid.body['amount_minor']).toBe(5_000);
  });

  it('choose the rail of a payout and of a batch, once an operator enabled another', async () => {
    const { merchantId, accountNo: account } = merchant.credentials;
    const fields = { account, phone: '0733 123 456', amount: '20.00', reference: 'rail-1' };
    expect((await asha.get(`${base}/payouts/ask`)).text).not.toContain('name="channel"');
    const early = await submit(asha, `${base}/payouts/check`, { ...fields, channel: 'airtel' });
    expect([early.status, early.text.includes('cannot send this way')]).toEqual([422, true]);
    await operate(
      ...['account', 'channels', '--merchant', merchantId, '--account', account],
      ...['--channels', 'mpesa,airtel', '--reason', 'Airtel Money is ready'],
    );
    await eventually(
      () => asha.get(`${base}/payouts/ask`),
      ({ text }) => text.includes('Airtel Money'),
    );
    const typed = { ...fields, channel: 'airtel' };
    // The check reads the account from the cache of every request, which is up to a second older than the views.
    const checked = await eventually(
      () => submit(asha, `${base}/payouts/check`, typed),
      ({ status }) => status !== 422,
    );
    expect(checked.text).toMatch(/<dt>Send by<\/dt>\s*<dd>Airtel Money<\/dd>/);
    const wrong = await submit(asha, `${base}/payouts/check`, { ...typed, amount: '0.001' });
    expect(wrong.text).toContain('Enter an amount that Airtel Money can send');
    expect((await submit(asha, `${base}/payouts`, typed)).location).toContain('done=asked');
    expect((await merchant.get('/api/v4/payouts/rail-1')).body).toMatchObject({
      channel: 'airtel',
    });
    const waiting = await joseph.get(`${base}/payouts/waiting/rail-1`);
    expect(waiting.text).toContain('Airtel Money');
    const other = await submit(asha, `${base}/payouts`, { ...typed, channel: 'mpesa' });
    expect(other.text).toContain('Another payout has this reference');

    expect((await asha.get(`${base}/payouts/batches`)).text).toContain('value="airtel"');
    const form = new FormData();
    form.set('form_token', await tokenOf(asha));
    form.set('account', account);
    form.set('channel', 'airtel');
    form.set('reference', 'rail-batch-1');
    const file = 'reference,phone,amount\nrail-2,0733123456,10.00\n';
    form.set('file', new Blob([file], { type: 'text/csv' }), 'payouts.csv');
    await asha.upload(`${base}/payouts/batches`, form);
    const page = await asha.get(`${base}/payouts/batches/rail-batch-1`);
    expect(page.text).toMatch(/<dt>Send by<\/dt>\s*<dd>Airtel Money<\/dd>/);
    for (const [path, reference] of [
      ['payouts/cancel', 'rail-1'],
      ['payouts/batches/cancel', 'rail-batch-1'],
    ] as const)
      expect((await submit(asha, `${base}/${path}`, { reference })).location).toContain(
        'done=cancelled',
      );
  });

  it('refund a part of a payment once, to the number that paid, and another person approves it', async () => {
    const item = `${base}/items/collection/INV-2`;
    expect((await asha.get(item)).text).toContain(`href="${item}/refund"`);
    expect((await dev.get(item)).text).not.toContain(`${item}/refund`);
    expect((await dev.get(`${item}/refund`)).status).toBe(403);
    const ask = (await asha.get(`${item}/refund`)).text;
    expect(ask).toContain('value="refund-INV-2"');
    // A number that was typed before the choice does not count for a whole refund.
    const whole = { how: 'whole', amount: '40.00', phone: '0711222334', reference: 'refund-INV-2' };
    const reversed = (await submit(asha, `${item}/refund/check`, whole)).text;
    expect(reversed).toContain('M-Pesa reverses the payment');
    expect(reversed).toContain('<input type="hidden" name="amount" value="100.00" />');
    expect(reversed).toContain('<input type="hidden" name="phone" value="" />');

    const fields = { how: 'part', amount: '40.00', phone: '0711 222 333', reference: 'back-1' };
    const problemOf = async (over: Partial<typeof fields>, step = '/check') => {
      const { status, text } = await submit(asha, `${item}/refund${step}`, { ...fields, ...over });
      expect([over, status]).toEqual([over, 422]);
      return /class="wrong" id="(\w+)-error">([^<]+)/.exec(text)?.slice(1);
    };
    const { problems } = texts;
    for (const step of ['/check', '']) {
      expect(await problemOf({ amount: '100.01' }, step)).toEqual(['amount', problems.exceeds]);
      expect(await problemOf({ phone: '' }, step)).toEqual(['phone', problems.phone_needed]);
      const other = await problemOf({ phone: '0711222334' }, step);
      expect(other).toEqual(['phone', problems.phone_differs]);
    }
    const checked = await submit(asha, `${item}/refund/check`, fields);
    for (const shown of ['KES 40.00', '0711 222 333', 'Available after', 'KES 60.00'])
      expect(checked.text).toContain(shown);
    expect((await merchant.get('/api/v4/payouts/back-1')).status).toBe(404);

    const first = await submit(asha, `${item}/refund`, fields);
    expect(first.location).toBe(`${item}?done=refund_asked`);
    for (const step of ['/check', '']) {
      const again = await submit(asha, `${item}/refund${step}`, fields);
      expect(again.location).toBe(`${item}?done=refund_existing`);
      const taken = await problemOf({ amount: '41.00' }, step);
      expect(taken).toEqual(['reference', problems.reference_taken]);
    }
    const waiting = (await asha.get(first.location)).text;
    expect(waiting).toContain('Refund pending');
    expect(waiting).toContain(`href="${base}/items/payout/back-1"`);

    const decision = { reference: 'back-1', amount_minor: '4000' };
    const own = await confirmed([asha, people.asha], `${base}/payouts/approve`, decision);
    expect(own.status).toBe(409);
    const held = await submit(joseph, `${base}/payouts/approve`, decision);
    const asking = (await joseph.get(held.location)).text;
    for (const shown of ['Approve this refund', 'INV-2', 'Sent to the number that paid'])
      expect(asking).toContain(shown);
    const approved = await confirmed([joseph, people.joseph], `${base}/payouts/approve`, decision);
    expect(approved.location).toContain('done=approved');
    const refunded = await eventually(
      () => merchant.get('/api/v4/collections/INV-2'),
      ({ body }) => body['refund_status'] === 'partial',
    );
    expect(refunded.body['refunded_minor']).toBe(4_000);
    const evidence = await operate(
      ...['evidence', 'show', 'back-1', '--merchant', merchant.credentials.merchantId],
      ...['--mode', 'demo', '--type', 'payout', '--reason', 'spec'],
    );
    expect(JSON.stringify(evidence)).toContain('amount=40.00');
  });

  it('refund the whole remainder under the prepared reference, and no more', async () => {
    const item = `${base}/items/collection/INV-2`;
    const ask = (await asha.get(`${item}/refund`)).text;
    expect(ask).toContain('Up to KES 60.00 can be refunded');
    const fields = { how: 'part', amount: '60.00', phone, reference: 'refund-INV-2-2' };
    expect(ask).toContain(`value="${fields.reference}"`);
    const sent = await submit(asha, `${item}/refund`, fields);
    expect(sent.location).toBe(`${item}?done=refund_asked`);
    // A form that was sent twice leads to its refund, though nothing is left to refund.
    expect((await submit(asha, `${item}/refund`, fields)).location).toBe(
      `${item}?done=refund_existing`,
    );
    const none = await asha.get(`${item}/refund`);
    expect([none.status, none.text.includes(texts.problems.not_refundable)]).toEqual([409, true]);
    expect((await asha.get(item)).text).not.toContain(`${item}/refund"`);
    const cancelled = await submit(asha, `${base}/payouts/cancel`, { reference: fields.reference });
    expect(cancelled.location).toContain('done=cancelled');
    await eventually(
      () => asha.get(`${item}/refund`),
      ({ status }) => status === 200,
    );
    const reused = await submit(asha, `${item}/refund/check`, fields);
    expect([reused.status, reused.text.includes(texts.problems.reference_taken)]).toEqual([
      422,
      true,
    ]);
  });

  it('have a whole payment reversed, without its number', async () => {
    await merchant.collect({ reference: 'INV-WHOLE', amount_minor: 10_000 });
    await eventually(
      () => merchant.get('/api/v4/collections/INV-WHOLE'),
      ({ body }) => body['status'] === 'completed' && body['receipt'] !== null,
    );
    const item = `${base}/items/collection/INV-WHOLE`;
    const fields = { how: 'whole', amount: '100.00', phone: '', reference: 'refund-INV-WHOLE' };
    const sent = await submit(asha, `${item}/refund`, fields);
    expect(sent.location).toBe(`${item}?done=refund_asked`);
    const decision = { reference: fields.reference, amount_minor: '10000' };
    const approved = await confirmed([joseph, people.joseph], `${base}/payouts/approve`, decision);
    expect(approved.location).toContain('done=approved');
    const { body } = await eventually(
      () => merchant.get('/api/v4/collections/INV-WHOLE'),
      (answer) => answer.body['refund_status'] === 'refunded',
    );
    expect(body['refunded_minor']).toBe(10_000);
    const shown = (await asha.get(item)).text;
    expect(shown).not.toContain(`${item}/refund"`);
    expect(shown).toContain(`href="${base}/items/payout/${fields.reference}"`);
  });

  it('approve an API request only if its requester is known', async () => {
    const { merchantId, accountNo: account_no } = merchant.credentials;
    const asked = { account_no, phone: '254712345678', amount_minor: 3000, currency: 'KES' };
    const body = JSON.stringify({ ...asked, channel: 'mpesa', reference: 'by-api-1' });
    const headers = { 'idempotency-key': 'by-api-1' };
    expect((await merchant.send('POST', '/api/v4/payouts', { body, headers })).status).toBe(202);
    const decision = { reference: 'by-api-1', amount_minor: '3000' };
    const approve = () => confirmed([joseph, people.joseph], `${base}/payouts/approve`, decision);
    const unbound = await approve();
    expect([unbound.status, unbound.text]).toEqual([
      409,
      expect.stringContaining('does not know its person or system'),
    ]);
    const listed = await operate('credential', 'list', '--merchant', merchantId);
    const [credential] = listed['credentials'] as unknown as readonly { readonly holder: string }[];
    await operate(
      ...['holder', 'bind', '--merchant', merchantId, '--holder', credential?.holder ?? ''],
      ...['--system', 'the shop', '--reason', 'spec'],
    );
    expect((await approve()).location).toContain('done=approved');
  });

  it('request a batch by file, and another person approves all of it', async () => {
    const send = async (csv: string): Promise<Answer> => {
      const form = new FormData();
      form.append('form_token', await tokenOf(asha));
      form.append('account', merchant.credentials.accountNo);
      form.append('reference', 'wages-1');
      form.append('file', new Blob([csv], { type: 'text/csv' }), 'wages.csv');
      return asha.upload(`${base}/payouts/batches`, form);
    };
    const refused = await send('reference,phone,amount\nw-1,0712345678,10\nw-2,12,10\n');
    expect([refused.status, refused.text.includes('Row 3: the phone')]).toEqual([422, true]);
    const csv = 'amount,reference,phone\n10.00,w-1,712345678\n20.00,w-2,0712345678\n';
    const page = `${base}/payouts/batches/wages-1`;
    expect((await send(csv)).location).toBe(page);
    expect((await send(csv)).location).toBe(page);
    const mended = await send(csv.replace('712345678', '712345679'));
    expect([mended.status, mended.text.includes('with different payouts')]).toEqual([422, true]);
    const shown = await joseph.get(page);
    expect(shown.text).toContain('name="amount_minor" value="3000"');
    // The file is sealed byte for byte, like the form of a single payout.
    const { merchantId } = merchant.credentials;
    const of = ['--merchant', merchantId, '--mode', 'demo', '--type', 'batch'];
    const why = ['--reason', 'spec'];
    const evidence = await operate('evidence', 'show', 'wages-1', ...of, ...why);
    expect(JSON.stringify(evidence)).toContain(JSON.stringify(csv).slice(1, -1));
    const [, items = ''] = /name="items" value="([^"]+)"/.exec(shown.text) ?? [];
    const sums = { reference: 'wages-1', count: '2', amount_minor: '3000' };
    const decision = { ...sums, items };
    const approve = `${base}/payouts/batches/approve`;
    expect((await confirmed([asha, people.asha], approve, decision)).status).toBe(409);
    // An approval names the payouts that its page has shown.
    const unseen = await submit(joseph, approve, sums);
    expect(unseen.location).toBe(page);
    const approved = await confirmed([joseph, people.joseph], approve, decision);
    expect(approved.location).toContain('done=approved');
    await eventually(
      () => merchant.get('/api/v4/payout-batches/wages-1'),
      ({ body }) => JSON.stringify(body).includes('"completed":{"count":2'),
    );
    expect((await other.get(page)).status).toBe(404);
  });
});

describe('a merchant’s developer', () => {
  it('sees a delivery’s attempts and has it sent again under the same id', async () => {
    const list = await eventually(
      () => dev.get(`${base}/webhooks?type=collection.completed`),
      ({ text }) => text.includes('</span> Delivered'),
    );
    const id = /webhooks\/([0-9a-f-]{36})"/.exec(list.text)?.[1] ?? '';
    const before = await dev.get(`${base}/webhooks/${id}`);
    expect(before.text).toContain(id);
    const sent = await submit(dev, `${base}/webhooks/${id}/resend`, { kind: 'v4' });
    expect(sent.location).toBe(`${base}/webhooks/${id}?done=resent`);
    const attempts = (text: string): number => text.split(' ms</td>').length;
    await eventually(
      () => dev.get(`${base}/webhooks/${id}`),
      ({ text }) => attempts(text) > attempts(before.text),
    );
    expect((await submit(asha, `${base}/webhooks/${id}/resend`, { kind: 'v4' })).status).toBe(403);

    const one = await dev.get(`${base}/webhooks/${id}`);
    const query = 'type=collection.completed';
    const shown = { query, delivery: `${id} v4` };
    const together = await submit(dev, `${base}/webhooks/resend`, shown);
    expect(together.location).toBe(`${base}/webhooks?${query}&done=resent`);
    await eventually(
      () => dev.get(`${base}/webhooks/${id}`),
      ({ text }) => attempts(text) > attempts(one.text),
    );
    const unknown = { query, delivery: `${randomUUID()} v4` };
    expect((await submit(dev, `${base}/webhooks/resend`, unknown)).status).toBe(404);
  });

  it('sees keys with their last use, and calls with path and code', async () => {
    const client = merchant.at(origin);
    expect((await client.get('/api/v4/collections/none')).status).toBe(404);
    expect((await client.get('/api/v4/transactions?limit=3')).status).toBe(200);
    const accepted = 'GET /api/v4/transactions?limit=3';
    const { text: all } = await eventually(
      () => dev.get(`${base}/requests`),
      ({ text }) => text.includes('not_found') && text.includes(accepted),
    );
    expect(all).toContain('GET /api/v4/collections/none');
    const { text: errors } = await dev.get(`${base}/requests?tab=errors&text=collections`);
    expect([errors.includes('not_found'), errors.includes(accepted)]).toEqual([true, false]);
    // Uses are written every five seconds.
    const { text } = await eventually(
      () => dev.get(`${base}/keys`),
      (keys) => !keys.text.includes('Never used'),
    );
    expect(text).toContain(merchant.credentials.clientId);
    expect(text).toContain('Last used');
    expect(text).not.toContain('PRIVATE');
  });

  it('finds the line in which a signature differs, without any of it in a log', async () => {
    const secret = `body-${randomUUID()}`;
    const { status, text } = await submit(dev, `${base}/signature`, {
      method: 'POST',
      path: '/api/v4/collections',
      query: '',
      body: secret,
      headers: 'X-PP-Nonce: 0123456789abcdef\nX-PP-Timestamp: 1764000000',
      theirs: 'GET\n/api/v4/collections',
    });
    expect([status, text.includes('Line 1 (method)')]).toEqual([200, true]);
    expect(service.logLines().join('\n')).not.toContain(secret);
    const example = await dev.get(`${base}/signature?example=on`);
    expect(example.text).toContain('POST /api/v4/collections HTTP/1.1');
    expect((await dev.get(`${base}/v3`)).text).toContain('You do not use V3.');
  });
});

describe('a person of another merchant', () => {
  it('finds neither the merchant’s pages nor its items under their own pages', async () => {
    const { merchantId, accountNo } = merchant.credentials;
    const home = (await other.get('/portal')).location;
    const ownBase = home.replace(/\/(?:live|demo)\/.*/, '/demo');
    expect((await other.get(`${ownBase}/transactions`)).status).toBe(200);
    const list = await dev.get(`${base}/webhooks`);
    const id = /webhooks\/([0-9a-f-]{36})"/.exec(list.text)?.[1] ?? '';
    const days = `from=${date}&to=${date}&format=csv`;
    const things = [
      ...['items/collection/INV-1', 'items/collection/INV-1/receipt', `webhooks/${id}`],
      'items/collection/INV-1/receipt.json',
      ...[`days/${date}?account=${accountNo}`, `days?account=${accountNo}`],
      `statement/file?account=${accountNo}&${days}`,
    ];
    for (const thing of things)
      expect({ thing, status: (await other.get(`${ownBase}/${thing}`)).status }).toEqual({
        thing,
        status: 404,
      });
    const pages = [
      ...['transactions', 'transactions/export.csv', 'statement', 'days', 'payouts', 'payouts/ask'],
      ...['keys', 'webhooks'],
      ...['requests', 'signature', 'v3', ...things],
    ];
    for (const page of pages)
      expect({ page, status: (await other.get(`${base}/${page}`)).status }).toEqual({
        page,
        status: 404,
      });
    const posts = [
      ...['transactions/find', 'transactions/views', 'transactions/views/drop'],
      ...['payouts', 'payouts/check', 'payouts/approve'],
      ...['payouts/reject', `webhooks/${id}/resend`, 'signature', `days/${date}/statement`],
    ];
    for (const post of posts)
      expect({
        post,
        status: (await submit(other, `${base}/${post}`, { kind: 'v4' })).status,
      }).toEqual({ post, status: 404 });
    const theirs = await submit(other, `${ownBase}/webhooks/${id}/resend`, { kind: 'v4' });
    expect(theirs.status).toBe(404);
    expect(
      (await asha.get(`/portal/merchants/${merchantId}/live/items/collection/INV-1`)).status,
    ).toBe(404);
  });
});
