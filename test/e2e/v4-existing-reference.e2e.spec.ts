import { randomUUID } from 'node:crypto';
import { eventually, pesapost } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Customer } from '../browser/customer.js';
import { openShop, type Shop } from '../browser/shop.js';
import { V3Scene } from './v3-scene.js';

let scene: V3Scene;
let shop: Shop;
beforeAll(async () => {
  scene = await V3Scene.start();
  shop = await openShop(scene.service, '127.0.0.1,shop.example');
});
afterAll(() => scene.service.stop());

let made = 0;
const freshReference = (): string => `KNOWN-${(made += 1)}`;

/** The answer to a create call, for a shop that reads its headers. */
async function collect(fields: Readonly<Record<string, unknown>>, key?: string) {
  const { status, headers, body } = await scene.service.merchant.collect(fields, key);
  return {
    status,
    code: body['error'] ?? body['status'],
    detail: body['detail'],
    existing: headers.get('x-pp-existing'),
    differs: headers.get('x-pp-differs'),
  };
}

describe('the answer about a reference', () => {
  it('contains nothing about an earlier collection if the reference is new', async () => {
    expect(await collect({ reference: freshReference() })).toMatchObject({
      status: 202,
      existing: null,
      differs: null,
    });
  });

  it('reports that the reference exists, and in which fields the request differs', async () => {
    const reference = freshReference();
    await collect({ reference });
    expect(await collect({ reference })).toMatchObject({
      status: 202,
      existing: 'true',
      differs: null,
    });
    const other = { reference, phone: '254711111111', amount_minor: 9_900 };
    expect(await collect(other)).toMatchObject({
      status: 202,
      existing: 'true',
      differs: 'phone, amount_minor',
    });
    const accountNo = await scene.openAccount(scene.merchantId, 'demo');
    const elsewhere = await eventually(
      () => collect({ reference, account_no: accountNo }),
      ({ status }) => status === 202,
    );
    expect(elsewhere).toMatchObject({ existing: 'true', differs: 'account_no' });
  });

  it('reports that also to a repeat of the same call, which differs in nothing', async () => {
    const [fields, key] = [{ reference: freshReference() }, randomUUID()];
    await collect(fields, key);
    expect(await collect(fields, key)).toMatchObject({ existing: 'true', differs: null });
  });

  it('compares with the requested values, even if another amount was paid', async () => {
    // This customer pays one step more than requested.
    const fields = { reference: freshReference(), phone: '254700000010' };
    await collect(fields);
    await eventually(
      async () => (await scene.item(fields.reference))['under_review'],
      (isUnderReview) => isUnderReview === true,
    );
    expect(await collect(fields)).toMatchObject({ existing: 'true', differs: null });
  });
});

describe('a reference that contains the customer’s number', () => {
  const phone = '254712345678';

  it('is rejected if it is new, leaves nothing behind and uses up no key', async () => {
    const key = randomUUID();
    for (const number of ['254712345678', '0712345678', '712345678']) {
      const reference = `${freshReference()}-${number}`;
      expect(await collect({ reference, phone }, key)).toMatchObject({
        status: 400,
        code: 'invalid_reference',
        detail: 'reference must not contain the customer’s phone number.',
      });
      expect(await scene.history(reference)).toEqual([]);
    }
    expect(await collect({ reference: freshReference(), phone }, key)).toMatchObject({
      status: 202,
    });
  });

  it('is accepted if the number belongs to another person', async () => {
    const reference = `${freshReference()}-254712345679`;
    expect(await collect({ reference, phone })).toMatchObject({ status: 202 });
  });

  it('can be used by V3, is counted there, and is returned by V4 once it exists', async () => {
    const ref = `${freshReference()}-0712345678`;
    for (let call = 0; call < 2; call += 1)
      expect(await scene.client.collect(scene.values({ ref }))).toMatchObject({ status: 200 });
    expect(await collect({ reference: ref, phone, amount_minor: 25_000 })).toMatchObject({
      status: 202,
      existing: 'true',
      differs: null,
    });
    const counted = await eventually(
      async () => {
        const [merchant] = (await readiness()).merchants;
        return merchant?.phone_references_in_30_days;
      },
      (count) => count !== 0,
    );
    expect(counted).toBe(1);
  });

  it('opens no V4 checkout link that names the customer, and starts nothing on one that does not', async () => {
    const reference = `${freshReference()}-0712345678`;
    const named = await new Customer(shop.v4({ reference, phone })).get();
    expect(named.status).toBe(400);
    const customer = new Customer(shop.v4({ reference }));
    expect((await customer.get()).status).toBe(200);
    expect((await customer.post({ phone: '0712345678' })).status).toBe(400);
    expect(await scene.history(reference)).toEqual([]);
    // The link is not used up: the customer may pay from another phone.
    expect((await customer.post({ phone: '0711111111' })).status).toBe(303);
  });
});

async function readiness() {
  const of = ['--merchant', scene.merchantId];
  return (await pesapost(scene.service.env, 'v3', 'readiness', ...of)) as unknown as {
    merchants: { phone_references_in_30_days: number }[];
  };
}
