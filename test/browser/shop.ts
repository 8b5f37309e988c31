import { randomBytes } from 'node:crypto';
import { checkoutHashV3, checkoutHashV4 } from '#shared/signing';
import { eventually, pesapost, type Service, withKeyFile } from '#testing';

/** A merchant's web shop: makes links of both versions, as its developers would. */
export interface Shop {
  readonly v4: (fields?: Readonly<Record<string, string>>) => string;
  readonly v3: (fields?: Readonly<Record<string, string>>) => string;
  readonly secrets: { readonly v4: string; readonly v3: string };
  readonly merchantId: string;
}

const why = ['--reason', 'test', '--as', 'spec'];
const v3Order = 'live oid inv ttl tel eml vid curr p1 p2 p3 p4 cbk cst crl'.split(' ');

/** Gives the service's merchant a V3 credential and a checkout key, and allows the hosts. */
export async function openShop(service: Service, hosts: string): Promise<Shop> {
  const { merchantId, accountNo } = service.merchant.credentials;
  const of = ['--merchant', merchantId, ...why];
  const operate = (...words: string[]) => pesapost(service.env, ...words, ...of);
  await operate('hosts', 'set', '--hosts', hosts);
  const key = await operate(
    ...['credential', 'issue', '--kind', 'checkout', '--mode', 'demo', '--holder', 'shop'],
  );
  const old = await withKeyFile((file) =>
    operate('credential', 'issue', '--kind', 'v3', '--holder', 'old shop', '--public-key', file),
  );
  const shop = shopWith(service.baseUrl, merchantId, {
    accountNo,
    keyId: key['checkout_key_id'] ?? '',
    v4Secret: key['checkout_secret'] ?? '',
    vid: old['vid'] ?? '',
    v3Secret: old['checkout_secret'] ?? '',
  });
  for (const link of [shop.v4(), shop.v3()])
    await eventually(
      async () => (await fetch(link)).status,
      (status) => status === 200,
    );
  return shop;
}

interface Keys {
  readonly accountNo: string;
  readonly keyId: string;
  readonly v4Secret: string;
  readonly vid: string;
  readonly v3Secret: string;
}

export const freshReference = (): string => `ORDER-${randomBytes(4).toString('hex')}`;

function shopWith(baseUrl: string, merchantId: string, keys: Keys): Shop {
  return {
    merchantId,
    secrets: { v4: keys.v4Secret, v3: keys.v3Secret },
    v4: (fields = {}) => {
      const query = new URLSearchParams({
        account_no: keys.accountNo,
        amount_minor: '125000',
        currency: 'KES',
        reference: freshReference(),
        return_url: 'http://127.0.0.1:9/thanks',
        key_id: keys.keyId,
        nonce: randomBytes(16).toString('hex'),
        timestamp: Math.floor(Date.now() / 1000).toString(),
        ...fields,
      }).toString();
      const hash = checkoutHashV4(keys.v4Secret, query);
      return `${baseUrl}/checkout?${query}&hash=${hash.ok ? hash.value : ''}`;
    },
    v3: (fields = {}) => {
      const oid = freshReference();
      const given: Readonly<Record<string, string>> = {
        live: '0',
        oid,
        inv: oid,
        ttl: '250.00',
        tel: '',
        eml: '',
        vid: keys.vid,
        curr: 'KES',
        p1: '',
        p2: '',
        p3: '',
        p4: '',
        cbk: 'http://127.0.0.1:9/thanks',
        cst: '1',
        crl: '0',
        ...fields,
      };
      const values = v3Order.map((name) => given[name] ?? '');
      const hsh = checkoutHashV3(keys.v3Secret, values);
      return `${baseUrl}/checkout?${new URLSearchParams({ ...given, hsh }).toString()}`;
    },
  };
}
