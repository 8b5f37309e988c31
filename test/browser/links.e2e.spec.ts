import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkoutHashV4 } from '#shared/signing';
import { eventually, pesapost, type Service, startService } from '#testing';
import { Customer } from './customer.js';
import { freshReference, openShop, type Shop } from './shop.js';

let service: Service;
let shop: Shop;
beforeAll(async () => {
  service = await startService();
  shop = await openShop(service, '127.0.0.1,shop.example');
});
afterAll(() => service.stop());

const pushes = async (): Promise<number> => {
  const stats = await fetch(`${service.simulatorUrl}/_stats`);
  return ((await stats.json()) as { pushes: number }).pushes;
};

/** An order's page through every route that opens it. */
function routesOf(link: string): string[] {
  return ['/api/v3/checkout', '/v3/checkout'].map((route) => link.replace('/checkout', route));
}

describe('a link that opens', () => {
  it('shows the payee, the amount and the purpose, and pushes nothing', async () => {
    const before = await pushes();
    for (const link of [
      shop.v4({ reference: 'A-1' }),
      ...routesOf(shop.v3({ oid: 'A-2', ttl: '1250' })),
    ]) {
      const { status, text } = await new Customer(link).get();
      expect(status).toBe(200);
      for (const said of ['Duka Moja', 'KES\u00a01,250.00', 'A-']) expect(text).toContain(said);
    }
    expect(await pushes()).toBe(before);
  });

  it('is not stored or framed, and loads nothing from other hosts', async () => {
    const { headers } = await new Customer(shop.v4()).get();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.get('set-cookie')).toMatch(
      /^checkout=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('speaks the browser’s language, or the one in the path', async () => {
    const link = shop.v3();
    const { text, headers } = await new Customer(link).get({ 'accept-language': 'sw-KE,en;q=0.5' });
    expect([headers.get('content-language'), text.includes('Lipa Duka Moja')]).toEqual([
      'sw',
      true,
    ]);
    const english = new Customer(link.replace('/checkout?', '/checkout/en?'));
    expect((await english.get({ 'accept-language': 'sw' })).text).toContain('Pay Duka Moja');
  });

  it('has the customer’s number if the link contains it, and is empty if that is not a number', async () => {
    expect((await new Customer(shop.v4({ phone: '254712345678' })).get()).text).toContain(
      'value="0712345678"',
    );
    expect((await new Customer(shop.v3({ tel: '+254 712 345 678' })).get()).text).toContain(
      'value="0712345678"',
    );
    expect((await new Customer(shop.v3({ tel: 'call me' })).get()).text).toContain('value=""');
  });

  it('opens with escaped parameter names, but its path has only one spelling', async () => {
    const link = shop.v4().replace('&hash=', '&%68ash=');
    const { status, text } = await new Customer(link).get();
    expect([status, text.includes('href="/checkout/sw?')]).toEqual([200, true]);
    const onV3 = shop.v4().replace('/checkout?', '/api/v3/checkout?');
    expect((await new Customer(onV3).get()).status).toBe(400);
    const misspelt = shop.v4().replace('/checkout?', '/ch%65ckout?');
    expect((await new Customer(misspelt).get()).status).toBe(404);
  });

  it('may arrive as the form of an old shop, which is redirected to the link', async () => {
    const link = new URL(shop.v3({ p1: 'two words' }));
    const answer = await fetch(`${link.origin}/checkout`, {
      method: 'POST',
      body: link.search.slice(1),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `/checkout${link.search}`,
    ]);
    const names = ['deprecation', 'sunset', 'link'];
    const page = await fetch(link);
    expect(page.status).toBe(200);
    const headersOf = (of: Response) => names.map((name) => of.headers.get(name));
    expect(headersOf(answer)).toEqual(headersOf(page));
    expect(headersOf(answer)).not.toContain(null);
  });
});

it.each(['/checkout', '/checkout/en', '/api/v3/checkout'])(
  '%s without a link explains itself',
  async (path) => {
    const { status, text } = await new Customer(`${service.baseUrl}${path}`).get();
    expect(status).toBe(200);
    for (const said of ['Shops send you here', 'No money was taken', 'href="/docs"'])
      expect(text).toContain(said);
  },
);

describe('a link that does not open', () => {
  const cases: readonly (readonly [string, number, string, (its: Shop) => string])[] = [
    ['a query of nothing', 400, 'malformed_link', () => `${service.baseUrl}/checkout?a=b`],
    ['another V4 hash', 403, 'invalid_link', ({ v4 }) => `${v4().slice(0, -1)}x`],
    ['another V3 hash', 403, 'invalid_link', ({ v3 }) => `${v3().slice(0, -1)}x`],
    [
      'a V4 hash over another order',
      403,
      'invalid_link',
      ({ v4 }) => v4().replace('=125000&', '=125&'),
    ],
    [
      'a V3 hash over another order',
      403,
      'invalid_link',
      ({ v3 }) => v3().replace('=250.00', '=25.00'),
    ],
    ['an unknown key', 403, 'invalid_link', ({ v4 }) => v4({ key_id: 'nobody' })],
    ['an unknown vid', 403, 'invalid_link', ({ v3 }) => v3({ vid: 'nobody' })],
    [
      'V4’s on V3’s route',
      400,
      'malformed_link',
      ({ v4 }) => v4().replace('/checkout', '/api/v3/checkout'),
    ],
    ['a missing parameter', 400, 'malformed_link', ({ v3 }) => v3().replace(/&curr=[^&]*/, '')],
    ['a parameter twice', 400, 'malformed_link', ({ v3 }) => `${v3()}&oid=2`],
    ['a V4 parameter twice', 400, 'malformed_link', ({ v4 }) => `${v4()}&reference=2`],
    ['bytes that are no text', 400, 'malformed_link', ({ v3 }) => `${v3()}&x=%ff`],
    ['a value that is too long', 400, 'oversized_link', ({ v3 }) => v3({ p4: 'x'.repeat(300) })],
    [
      'a query that is too long',
      400,
      'oversized_link',
      ({ v3 }) => `${v3()}&x=${'x'.repeat(7000)}`,
    ],
    ['live 2', 400, 'malformed_link', ({ v3 }) => v3({ live: '2' })],
    ...[
      '1e3',
      '.5',
      '1.234',
      '01.00',
      '٢٥٠',
      '２５０',
      '-5',
      '0',
      '',
      '250001',
      '1'.repeat(30),
      '1 ',
    ].map(
      (ttl) =>
        [`the amount ${ttl}`, 400, 'invalid_amount', (its: Shop) => its.v3({ ttl })] as const,
    ),
    ...['0', '1.5', '1e3', '-1', '１２', '25000001', '9'.repeat(40), '0100'].map(
      (minor) =>
        [
          `${minor} minor units`,
          400,
          'invalid_amount',
          (its: Shop) => its.v4({ amount_minor: minor }),
        ] as const,
    ),
    ...['', 'a b', '~1', 'R~2', '-x', 'é'].map(
      (oid) =>
        [`the reference ${oid}`, 400, 'invalid_reference', (its: Shop) => its.v3({ oid })] as const,
    ),
    ['another currency', 400, 'invalid_currency', ({ v3 }) => v3({ curr: 'USD' })],
    ['another V4 currency', 400, 'invalid_currency', ({ v4 }) => v4({ currency: 'USD' })],
    [
      'somebody else’s account',
      400,
      'invalid_account',
      ({ v4 }) => v4({ account_no: '0000000000' }),
    ],
    [
      'a host that is not on the list',
      400,
      'invalid_return_url',
      ({ v4 }) => v4({ return_url: 'https://evil.example/' }),
    ],
    [
      'a host of V3 that is not on the list',
      400,
      'invalid_return_url',
      ({ v3 }) => v3({ cbk: 'https://evil.example/' }),
    ],
    ...[
      'javascript:alert(1)',
      '//evil.example',
      'https://shop.example@evil.example/',
      'https://shop.example\\@evil.example/',
      '/paid',
      'https://shop.example.evil.example/',
    ].map(
      (return_url) =>
        [
          `the address ${return_url}`,
          400,
          'invalid_return_url',
          (its: Shop) => its.v4({ return_url }),
        ] as const,
    ),
    [
      'an address with a result in it',
      400,
      'invalid_return_url',
      ({ v4 }) => v4({ return_url: 'https://shop.example/?status=completed' }),
    ],
    ['a time that is none', 400, 'malformed_link', ({ v4 }) => v4({ timestamp: '1e9' })],
    ['a nonce that is none', 400, 'malformed_link', ({ v4 }) => v4({ nonce: 'short' })],
    [
      'a time past, from a host that is not on the list',
      400,
      'invalid_return_url',
      ({ v4 }) => v4({ timestamp: secondsFromNow(-910), return_url: 'https://evil.example/' }),
    ],
    [
      'a time past, and a hash of others',
      403,
      'invalid_link',
      ({ v4 }) => `${v4({ timestamp: secondsFromNow(-910) }).slice(0, -1)}x`,
    ],
    ['a time far ahead', 400, 'early_link', ({ v4 }) => v4({ timestamp: secondsFromNow(400) })],
  ];

  it.each(cases)(
    '%s: answers %i %s with a page that leads nowhere, and never pushes, even after a post',
    async (_name, status, code, make) => {
      const before = await pushes();
      const customer = new Customer(make(shop));
      for (const answer of [await customer.get(), await customer.post({ phone: '0712345678' })]) {
        expect([answer.status, answer.headers.get('location')]).toEqual([status, null]);
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(answer.text).toContain(code);
        expect(answer.text).not.toMatch(/href="(?!\/|data:)/);
      }
      expect(await pushes()).toBe(before);
    },
  );

  it.each([
    ['en', 'This payment link has expired', 'Back to Duka Moja'],
    ['sw', 'Muda wa kiungo hiki cha malipo umekwisha', 'Rudi kwa Duka Moja'],
  ])(
    'leads back to its shop if it has expired, in %s, and pushes nothing',
    async (tongue, ...said) => {
      const before = await pushes();
      const link = shop.v4({
        timestamp: secondsFromNow(-910),
        return_url: 'https://shop.example/paid?n=1',
      });
      const customer = new Customer(link.replace('/checkout?', `/checkout/${tongue}?`));
      for (const answer of [await customer.get(), await customer.post({ phone: '0712345678' })]) {
        expect([answer.status, answer.headers.get('location')]).toEqual([410, null]);
        for (const text of ['expired_link', ...said]) expect(answer.text).toContain(text);
        expect(answer.text.match(/href="(?!\/|data:)[^"]*"/g)).toEqual([
          'href="https://shop.example/"',
        ]);
      }
      expect(await pushes()).toBe(before);
    },
  );

  it('is explained in Swahili too', async () => {
    const { text } = await new Customer(`${shop.v3()}x`).get({ 'accept-language': 'sw' });
    expect(text).toContain('Kiungo hiki cha malipo si halali');
  });

  it('is rejected if its digits could have moved, once the merchant has asked for that', async () => {
    const moved = { inv: 'INV9', ttl: '1.00' };
    const { merchantId } = service.merchant.credentials;
    const strict = (on: string) =>
      pesapost(
        service.env,
        'checkout',
        'strict',
        on,
        '--merchant',
        merchantId,
        '--reason',
        'test',
        '--as',
        'spec',
      );
    expect((await new Customer(shop.v3(moved)).get()).status).toBe(200);
    await strict('on');
    const refused = () => new Customer(shop.v3(moved)).get();
    await eventually(
      refused,
      ({ status, text }) => status === 400 && text.includes('ambiguous_link'),
    );
    expect((await new Customer(shop.v3()).get()).status).toBe(200);
    await strict('off');
    await eventually(refused, ({ status }) => status === 200);
  });
});

describe('paying', () => {
  it('sends one push, however often and from wherever the form is posted', async () => {
    const before = await pushes();
    const reference = freshReference();
    const customer = new Customer(shop.v4({ reference }));
    await customer.get();
    const paid = { phone: '0712345678' };
    const answers = await Promise.all([
      customer.post(paid),
      customer.post(paid),
      customer.post(paid),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await customer.post(paid)).status).toBe(303);
    await customer.until('paid');
    expect((await customer.post(paid)).status).toBe(303);
    expect(await pushes()).toBe(before + 1);
    const { body } = await service.merchant.get(`/api/v4/collections/${reference}`);
    expect(body).toMatchObject({ status: 'completed', amount_minor: 125_000 });
  });

  it('shows its outcome under the same link to every visitor', async () => {
    const customer = new Customer(shop.v3());
    await customer.pay('0712345678');
    await customer.until('paid');
    const other = await new Customer(customer.link).get();
    expect(other.text).toContain('data-state="paid"');
    expect(other.text).not.toContain('0712345678');
  });

  it('may be retried after cancelling, up to four attempts in all, each with its own reference', async () => {
    const before = await pushes();
    const reference = freshReference();
    const customer = new Customer(shop.v4({ reference }));
    for (const next of ['retry-2', 'retry-3', 'retry-4']) {
      await customer.pay('0700000002');
      await customer.until(next);
    }
    await customer.pay('0700000004');
    const last = await customer.until('failed');
    expect(last.text).not.toContain('<form');
    expect((await customer.post({ phone: '0712345678' })).status).toBe(303);
    expect(await pushes()).toBe(before + 4);
    const references = async () => {
      const { body } = await service.merchant.get('/api/v4/transactions?limit=100');
      const items = body['data'] as { reference: string }[];
      return items.map((item) => item.reference).filter((name) => name.startsWith(reference));
    };
    const all = [4, 3, 2].map((number) => `${reference}~${number}`).concat(reference);
    await eventually(references, (found) => found.length === 4);
    expect(await references()).toEqual(all);
    const { body } = await service.merchant.get(`/api/v4/collections/${reference}~2`);
    expect(body).toMatchObject({ status: 'failed', failure_code: 'cancelled' });
  });

  it.each([
    ['V4', 'cancelled', '0700000002', (its: Shop) => its.v4()],
    ['V4', 'insufficient funds', '0700000003', (its: Shop) => its.v4({ phone: '0722000333' })],
    ['V3', 'a wrong PIN', '0700000004', (its: Shop) => its.v3()],
    ['V3', 'cancelled', '0700000002', (its: Shop) => routesOf(its.v3())[0] ?? ''],
  ] as const)(
    'is retried with the typed number (%s, %s), which no other visitor sees',
    async (_version, _failure, phone, make) => {
      const customer = new Customer(make(shop));
      await customer.get();
      const sent = await customer.post({ phone });
      expect(sent.status).toBe(303);
      expect([...sent.headers].join('\n')).not.toContain(phone.slice(1));
      const again = await customer.until('retry-2');
      expect(again.text).toContain(`value="${phone}"`);
      const visitor = new Customer(customer.link);
      const seen = await visitor.get();
      expect(seen.headers.get('checkout-state')).toBe('retry-2');
      expect(seen.text).not.toContain(phone);
      const stolen = /checkout-number=[^;]*/.exec(customer.cookie)?.[0] ?? '';
      const thief = await fetch(customer.link, {
        headers: { cookie: `${visitor.cookie}; ${stolen}` },
      });
      expect(await thief.text()).not.toContain(phone);
      await customer.pay('0712345678');
      await customer.until('paid');
      expect(customer.cookie).not.toContain('checkout-number');
    },
  );

  it('keeps the number on a second press, whose answer the browser reads', async () => {
    const customer = new Customer(shop.v4());
    await customer.get();
    const sent = { phone: '0700000002' };
    await customer.post(sent);
    const second = await customer.post(sent);
    expect(second.headers.getSetCookie().join()).toMatch(/^checkout-number=/);
    const forged = await customer.post({ ...sent, token: 'x' });
    expect([forged.status, forged.headers.getSetCookie()]).toEqual([303, []]);
  });

  it('cannot be retried while money may still come', async () => {
    const customer = new Customer(shop.v3());
    await customer.pay('0700000005');
    const { text } = await customer.until('failed');
    expect(text).not.toContain('<form');
    expect(text).toContain('do not pay again');
  });

  it('shows a push that the rail rejected as rejected', async () => {
    const customer = new Customer(shop.v3());
    await customer.pay('0700000011');
    expect((await customer.until('failed')).text).toContain('No money was taken');
  });

  it('is rejected for an order that was started with another amount', async () => {
    const reference = freshReference();
    const first = new Customer(shop.v4({ reference }));
    await first.pay('0712345678');
    const before = await pushes();
    for (const link of [
      shop.v4({ reference, amount_minor: '100' }),
      shop.v3({ oid: reference, inv: reference }),
    ]) {
      const second = new Customer(link);
      for (const answer of [await second.get(), await second.post({ phone: '0712345678' })]) {
        expect(answer.status).toBe(409);
        expect(answer.text).toContain('This order has a different amount');
        expect(answer.text).toContain('href="http://127.0.0.1:9/"');
      }
    }
    expect(await pushes()).toBe(before);
  });

  it('uses up a nonce for one order, but viewing a link does not', async () => {
    const nonce = `nonce-${freshReference()}`;
    const [first, second] = [new Customer(shop.v4({ nonce })), new Customer(shop.v4({ nonce }))];
    for (const customer of [first, second, second]) expect((await customer.get()).status).toBe(200);
    await first.pay('0712345678');
    await first.until('paid');
    const before = await pushes();
    const refused = await second.post({ phone: '0712345678' });
    expect([refused.status, refused.text.includes('used_link')]).toEqual([409, true]);
    expect(refused.text).toContain('href="http://127.0.0.1:9/"');
    expect(await pushes()).toBe(before);
  });

  it('asks for the number again if it is not valid', async () => {
    const before = await pushes();
    const customer = new Customer(shop.v4());
    await customer.get();
    for (const phone of ['', '0812345678', '0712', '０７１２３４５６７８', '<b>']) {
      const answer = await customer.post({ phone });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('aria-invalid="true"');
      expect(answer.text).not.toContain('<b>');
    }
    expect(await pushes()).toBe(before);
  });

  it('accepts only a form that it gave to this browser for this link', async () => {
    const before = await pushes();
    const [customer, other] = [new Customer(shop.v4()), new Customer(shop.v4())];
    await customer.get();
    await other.get();
    const phone = '0712345678';
    const own = customer.token;
    for (const [token, cookie] of [
      ['', undefined],
      ['x', undefined],
      [other.token, undefined],
      [own, ''],
      [own, other.cookie],
    ] as const) {
      const answer = await customer.post({ phone, token }, cookie);
      expect(answer.status).toBe(403);
      // The form is shown again, with the typed number.
      expect(answer.text).toContain(`value="${phone}"`);
    }
    expect(await pushes()).toBe(before);
    expect((await customer.post({ phone, token: own })).status).toBe(303);
  });

  it('writes no number, query or token to any log', async () => {
    const tel = '0722000111';
    const customer = new Customer(shop.v3({ tel, oid: 'SECRET-ORDER' }));
    await customer.pay(tel);
    await new Customer(`${shop.v4({ reference: 'SECRET-ORDER-2' })}x`).get();
    await customer.until('paid');
    const log = service.logLines().join('\n');
    expect(log).toContain('/checkout');
    for (const secret of ['722000111', 'SECRET-ORDER', 'hsh=', 'hash=', customer.token])
      expect(log).not.toContain(secret);
  });
});

describe('the result', () => {
  it('returns to the shop with a signature, and contains what was paid', async () => {
    const reference = freshReference();
    const link = shop.v4({ reference, return_url: 'https://shop.example/paid?n=1' });
    const customer = new Customer(link);
    await customer.pay('0712345678');
    const { text } = await customer.until('paid');
    const back = new URL(/href="(https:[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '');
    expect(back.origin + back.pathname).toBe('https://shop.example/paid');
    expect(back.searchParams.get('status')).toBe('completed');
    // A result is no link: its hash opens nothing.
    const asLink = checkoutHashV4(shop.secrets.v4, back.search.slice(1));
    expect(asLink.ok && asLink.value).not.toBe(back.searchParams.get('hash'));
  });
});

// Run this last: afterwards this address has to wait.
describe('a source', () => {
  it('is rate limited if it guesses hashes', async () => {
    const link = `${shop.v4()}x`;
    const answers: Response[] = [];
    for (let tries = 0; tries < 40; tries += 1)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => fetch(link)))));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(Number(limited[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await limited[0]?.text()).toContain('Too many tries');
    // A visitor who only opens a correct link does not wait.
    expect((await fetch(shop.v4())).status).toBe(200);
  });
});

function secondsFromNow(seconds: number): string {
  return (Math.floor(Date.now() / 1000) + seconds).toString();
}
