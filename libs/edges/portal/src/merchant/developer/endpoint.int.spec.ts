import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { refuse } from '#domain/kernel';
import { EndpointSecrets } from '#records/webhooks';
import { DeveloperPortal } from '../../../test/developer-portal.js';
import { merchantTexts } from '../texts-of.js';
import { english } from './developer-texts.en.js';

const portal = new DeveloperPortal();
const { endpoint: words } = english;
const url = 'https://shop.example/webhooks';
const reason = 'go-live';
const target = (change: string, mode = 'demo') => portal.page(`webhooks/endpoint/${change}`, mode);
const secretsOf = () =>
  new EndpointSecrets(portal.database, portal.keyring).of({
    merchantId: portal.merchantId,
    mode: 'demo',
    kind: 'v4',
  });
const lastEvent = async () => (await portal.events()).at(-1);
const heldForms = () => portal.database.query('select 1 from records.portal_held_forms');

beforeAll(() => portal.start());
afterAll(() => portal.stop());
beforeEach(async () => {
  await portal.database.query('truncate records.portal_held_forms, records.webhook_secrets');
});

describe('a merchant’s webhook endpoint', () => {
  it('is added by a developer, whom the event names with the reason; the secret is shown once', async () => {
    const asha = await portal.signedIn('asha', 'developer');
    const { text: page } = await asha.get(portal.page('webhooks'));
    expect(page).toContain('/webhooks/endpoint?kind=v4');
    const { shown, answer } = await portal.carryOut(asha, 'asha', target('set'), {
      kind: 'v4',
      url: 'HTTPS://shop.example:443/webhooks',
      reason,
      standard: 'on',
    });
    for (const told of ['Duka Tatu', url, reason]) expect(shown).toContain(told);
    expect(answer.status).toBe(200);
    const [secret] = await secretsOf();
    const known = secret?.export().toString('utf8') ?? 'none';
    expect(answer.text).toContain(`<code>${known}</code>`);
    expect(answer.text).toContain(`whsec_${Buffer.from(known).toString('base64')}`);
    expect(await lastEvent()).toMatchObject({
      type: 'WebhookEndpointSet',
      data: { mode: 'demo', kind: 'v4', url, enabled: true, standardHeaders: true },
      metadata: { actor: { kind: 'operator', id: `${portal.issuer.url}#asha` }, reason },
    });
    await portal.endpointIs(url);
    for (const path of ['webhooks', 'webhooks/endpoint?kind=v4'])
      expect((await asha.get(portal.page(path))).text).not.toContain(known);
  });

  it('is V4’s if the address names no version', async () => {
    const asha = await portal.signedIn('asha', 'developer');
    const { status, text } = await asha.get(portal.page('webhooks/endpoint'));
    expect([status, text.includes(words.title('V4'))]).toEqual([200, true]);
  });

  it('moves to another URL and keeps its secret', async () => {
    await portal.endpointIs(url);
    const asha = await portal.signedIn('asha', 'owner');
    const other = 'https://shop.example/v2';
    const { shown, answer } = await portal.carryOut(asha, 'asha', target('set'), {
      kind: 'v4',
      url: other,
      reason,
    });
    expect(shown).toContain(url);
    expect(answer).toMatchObject({
      status: 303,
      location: `${portal.page('webhooks')}?done=endpoint_set`,
    });
    expect((await lastEvent())?.data).toMatchObject({ url: other, enabled: true });
  });

  it('gets a new secret, and for a day the old one signs beside it', async () => {
    const asha = await portal.signedIn('asha', 'developer');
    await portal.carryOut(asha, 'asha', target('set', 'live'), { kind: 'v4', url, reason });
    await portal.endpointIs(url);
    const rotate = { kind: 'v4', seen: url, reason: 'yearly' };
    const first = await portal.carryOut(asha, 'asha', target('rotate'), rotate);
    const second = await portal.carryOut(asha, 'asha', target('rotate'), rotate);
    const [newest, older] = (await secretsOf()).map((key) => key.export().toString('utf8'));
    expect(second.answer.text).toContain(`<code>${newest}</code>`);
    expect(first.answer.text).toContain(`<code>${older}</code>`);
  });

  it('is disabled and enabled again', async () => {
    await portal.endpointIs(url);
    const asha = await portal.signedIn('asha', 'developer');
    const fields = { kind: 'v4', seen: url, reason };
    await portal.carryOut(asha, 'asha', target('disable'), fields);
    expect((await lastEvent())?.data).toMatchObject({ url, enabled: false });
    await portal.endpointIs(url, { enabled: false });
    const { answer } = await portal.carryOut(asha, 'asha', target('enable'), fields);
    expect(answer.location).toContain('done=endpoint_enabled');
    expect((await lastEvent())?.data).toMatchObject({ url, enabled: true });
  });
});

describe('the address for failures', () => {
  const contacts = () => portal.database.query('select kind, email from records.failure_contacts');
  const set = (failures_to: string) => ({ kind: 'v4', url, reason, failures_to });

  it('is stored with the endpoint, shown before the proof and on the pages, and in no event', async () => {
    await portal.endpointIs(url);
    const asha = await portal.signedIn('asha', 'developer');
    const { shown } = await portal.carryOut(asha, 'asha', target('set'), set('dev@shop.example'));
    expect(shown).toContain('dev@shop.example');
    expect(await contacts()).toEqual([{ kind: 'v4', email: 'dev@shop.example' }]);
    for (const path of ['webhooks', 'webhooks/endpoint?kind=v4'])
      expect((await asha.get(portal.page(path))).text).toContain('dev@shop.example');
    expect((await asha.get(portal.page('webhooks', 'live'))).text).not.toContain('dev@shop');
    expect(
      JSON.stringify((await portal.events()).map(({ data, metadata }) => [data, metadata])),
    ).not.toContain('dev@shop');
  });

  it('is not shown to people who may not change the endpoint', async () => {
    const finance = await portal.signedIn('otieno', 'finance');
    expect((await finance.get(portal.page('webhooks'))).text).not.toContain('dev@shop');
  });

  it('is removed by an empty field', async () => {
    const asha = await portal.signedIn('asha', 'developer');
    await portal.carryOut(asha, 'asha', target('set'), set(' '));
    expect(await contacts()).toEqual([]);
  });

  it.each(['dev', 'a@shop.example,b@shop.example', 'dev@shop.example\r\nBcc: x@shop.example'])(
    '%j is refused at its field, and writes nothing',
    async (typed) => {
      const before = (await portal.events()).length;
      const asha = await portal.signedIn('asha', 'developer');
      const { answer } = await portal.send(asha, target('set'), set(typed));
      expect(answer.status).toBe(422);
      expect(answer.text).toMatch(/id="set_failures_to"[^>]*aria-invalid="true"/);
      expect(answer.text).toContain(words.addressProblems.no_address);
      expect([(await portal.events()).length, await heldForms(), await contacts()]).toEqual([
        before,
        [],
        [],
      ]);
    },
  );
});

describe('a form about an endpoint that cannot be carried out', () => {
  it.each([
    ['nonsense', words.urlProblems.no_url],
    ['http://shop.example/', words.urlProblems.not_https],
    ['https://me:secret@shop.example/', words.urlProblems.has_credentials],
    ['https://shop.example/#a', words.urlProblems.has_fragment],
    ['https://shop.example/254712345678', words.urlProblems.has_phone],
    ['https://169.254.169.254/', words.urlProblems.not_public],
    ['https://db.internal/', words.urlProblems.not_public],
    [`https://shop.example/${'x'.repeat(2048)}`, words.urlProblems.too_long],
  ])('%s: says so at its field, asks for no proof and writes nothing', async (typed, told) => {
    const before = (await portal.events()).length;
    const asha = await portal.signedIn('asha', 'developer');
    const fields = { kind: 'v4', url: typed, reason };
    const { answer } = await portal.send(asha, target('set'), fields);
    expect(answer.status).toBe(422);
    expect(answer.text).toMatch(/id="set_url"[^>]*aria-invalid="true"/);
    expect(answer.text).toContain(told);
    expect([(await portal.events()).length, await heldForms(), await secretsOf()]).toEqual([
      before,
      [],
      [],
    ]);
  });

  it.each([
    ['', english.reasonProblems.words_length],
    ['call 0712345678', english.reasonProblems.words_hold_phone],
  ])('the reason “%s” is refused at its field', async (given, told) => {
    await portal.endpointIs(url);
    const asha = await portal.signedIn('asha', 'developer');
    for (const [form, fields] of [
      ['set', { url }],
      ['rotate', { seen: url }],
    ] as const) {
      const sent = { kind: 'v4', reason: given, ...fields };
      const { answer } = await portal.send(asha, target(form), sent);
      expect([answer.status, answer.text.includes(told)]).toEqual([422, true]);
    }
    expect(await heldForms()).toEqual([]);
  });

  it('one that was made before the URL changed is refused, and nothing changes', async () => {
    await portal.endpointIs('https://shop.example/new');
    const before = (await portal.events()).length;
    const asha = await portal.signedIn('asha', 'developer');
    const fields = { kind: 'v4', seen: url, reason };
    const { answer } = await portal.send(asha, target('disable'), fields);
    expect([answer.status, answer.text.includes(english.changed)]).toEqual([409, true]);
    expect((await portal.events()).length).toBe(before);
  });

  it('the words of V3 can be given to no new endpoint', async () => {
    const asha = await portal.signedIn('asha', 'developer');
    const { answer } = await portal.send(asha, target('set'), { kind: 'v3', url, reason });
    expect(answer.status).toBe(404);
  });

  it('a merchant’s finance may not send one', async () => {
    await portal.signedIn('asha', 'developer');
    const finn = await portal.signedIn('finn', 'finance', 'developer');
    const { form_token } = await portal.send(finn, target('test'), {});
    portal.roles.of.set('finn', [{ role: 'finance', merchantId: portal.merchantId }]);
    const fields = { form_token, kind: 'v4', url, reason };
    expect((await finn.post(target('set'), { fields })).status).toBe(403);
  });
});

describe('a test event', () => {
  it('is sent in the person’s name to a demo endpoint, and its result is shown', async () => {
    await portal.endpointIs(url);
    const asha = await portal.signedIn('asha', 'developer');
    const fields = { kind: 'v4', type: 'collection.failed' };
    const { answer } = await portal.send(asha, target('test'), fields);
    expect(answer.text).toContain(words.testDelivered('HTTP 204', 3));
    expect(portal.tests.sent).toEqual([
      {
        merchantId: portal.merchantId,
        kind: 'v4',
        type: 'collection.failed',
        by: `${portal.issuer.url}#asha`,
      },
    ]);
    portal.tests.answer = refuse('busy');
    const again = await portal.send(asha, target('test'), fields);
    expect(again.answer.text).toContain(words.testProblems.busy);
  });

  it('goes to no live endpoint: it could be taken for money', async () => {
    await portal.database.query(
      `insert into webhook_endpoints values ($1, 'live', 'v4', 1, null, $2, true, false)`,
      [portal.merchantId, url],
    );
    const asha = await portal.signedIn('asha', 'developer');
    const { text } = await asha.get(portal.page('webhooks/endpoint?kind=v4', 'live'));
    expect(text).not.toContain(words.testSend);
    const fields = { kind: 'v4', type: 'collection.failed' };
    const { answer } = await portal.send(asha, target('test', 'live'), fields);
    expect(answer.status).toBe(404);
  });
});

it('the list says what is wrong with an endpoint, in its card', async () => {
  await portal.endpointIs(url);
  await portal.database.query(
    `insert into records.webhook_circuits (merchant_id, mode, kind, callback_host, failures, failing_since, last_attempt_at)
     values ($1, 'demo', 'v4', '', 4, records.now_(), records.now_())`,
    [portal.merchantId],
  );
  const asha = await portal.signedIn('asha', 'developer');
  const { text } = await asha.get(portal.page('webhooks'));
  expect(text).toContain(merchantTexts({ language: 'en' }).webhooks.failing(4));
});
