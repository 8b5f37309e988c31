import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import { checkoutHashV4, checkoutResultHashV4 } from '#shared/signing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const guide = join(packageDirectory(), 'docs/how-to/take-payments-on-the-checkout-page.md');
const vectors = JSON.parse(
  readFileSync(join(packageDirectory(), 'libs/shared/signing/checkout-vectors.json'), 'utf8'),
) as {
  readonly v4_secret: string;
  readonly v4_links: readonly { name: string; query: string; text: string; hash: string }[];
  readonly v4_results: readonly { name: string; query: string; hash: string }[];
};

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pesapost-guide-'));
  const [, code = ''] = /```js\n(.*?)```/s.exec(readFileSync(guide, 'utf8')) ?? [];
  writeFileSync(join(directory, 'checkout.mjs'), code);
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Runs an expression with the guide's functions in scope, in a process of its own, as a shop would. */
function inShop(expression: string): unknown {
  const file = join(directory, 'shop.mjs');
  writeFileSync(
    file,
    `import * as guide from './checkout.mjs';\nconsole.log(JSON.stringify(${expression}) ?? 'null');`,
  );
  return JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8' }));
}

describe('the guide’s code', () => {
  it('writes every vector’s query canonically', () => {
    const queries = JSON.stringify(vectors.v4_links.map(({ query }) => query));
    expect(inShop(`${queries}.map(guide.canonicalQuery)`)).toEqual(
      vectors.v4_links.map(({ text }) => text),
    );
  });

  it('makes links that open', () => {
    const order = {
      account_no: '1',
      reference: "a'(b)*",
      return_url: 'https://shop.example/?a=1+1',
    };
    const made = `guide.checkoutLink('https://pay.example', { keyId: 'k', secret: 's' }, ${JSON.stringify(order)})`;
    const link = new URL(String(inShop(made)));
    expect(Object.fromEntries(link.searchParams)).toMatchObject({ ...order, key_id: 'k' });
    const expected = checkoutHashV4('s', link.search.slice(1));
    expect(expected.ok && expected.value).toBe(link.searchParams.get('hash'));
  });

  it.each(vectors.v4_results)('reads the result: $name', ({ query, hash }) => {
    const read = (text: string) =>
      inShop(`guide.checkoutResult(${JSON.stringify(text)}, '${vectors.v4_secret}')`);
    expect(read(`${query}&hash=${hash}`)).toMatchObject({ reference: 'ORDER-7' });
    const expected = checkoutResultHashV4(vectors.v4_secret, query);
    expect(expected.ok && expected.value).toBe(hash);
    expect(read(`${query.replace('ORDER-7', 'ORDER-8')}&hash=${hash}`)).toBeNull();
    expect(read(query)).toBeNull();
  });

  it('takes no link for a result', () => {
    const [link] = vectors.v4_links;
    const text = JSON.stringify(`${link?.query ?? ''}&hash=${link?.hash ?? ''}`);
    expect(inShop(`guide.checkoutResult(${text}, '${vectors.v4_secret}')`)).toBeNull();
  });
});
