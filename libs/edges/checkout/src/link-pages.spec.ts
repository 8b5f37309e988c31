import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Rail } from '#domain/rails';
import { Clock } from '#domain/kernel';
import { type MerchantDirectory } from '#domain/merchants';
import { type CachedMerchants } from '#views/merchants';
import { type OpenedV3Link, type V3Gate } from '#edges/v3-gate';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type PaymentAttempts } from './attempts/payment-attempts.js';
import { type Forms } from './form/forms.js';
import { type KeptNumbers } from './form/kept-numbers.js';
import { fault } from './link/link-fault.js';
import { OpenLinks } from './link/open-links.js';
import { LinkPages } from './link-pages.js';
import { OpenedLinks } from './opened.js';
import { type Limits } from './limits.js';

const { v3_links: links, v3_secret: secret } = JSON.parse(
  readFileSync(new URL('../../../shared/signing/checkout-vectors.json', import.meta.url), 'utf8'),
) as { v3_links: { parameters: Record<string, string>; hsh: string }[]; v3_secret: string };
const [plain] = links;

class Noon extends Clock {
  override nowMs = (): number => Date.UTC(2026, 10, 21, 9);
}

/**
 * Returns what the gate records when a customer opens the link. The link's merchant has these hosts, and its newest
 * attempt is given.
 */
async function noted({
  hosts = [] as string[],
  newest = (): unknown => ({ ok: true, value: undefined }),
  hsh = plain?.hsh ?? '',
} = {}): Promise<{ readonly links: OpenedV3Link[]; readonly fault: unknown }> {
  const told: OpenedV3Link[] = [];
  const account = { merchantId: 'M', mode: 'demo', accountNo: '1', currency: 'KES' };
  const merchant = { merchantId: 'M', name: 'Duka', hosts, accounts: [account] };
  const open = new OpenLinks(
    {
      merchantByVid: () => Promise.resolve(merchant),
      v3LinkKeys: () => Promise.resolve([{ credentialId: 'C', holder: 'H', secret }]),
    } as unknown as CachedMerchants,
    { findAccount: () => Promise.resolve(account) } as unknown as MerchantDirectory,
    {
      limits: () => ({ stepMinor: 1n, maxMinor: 25_000_000n, currencies: ['KES'] }),
    } as unknown as Rail,
    new Noon(),
  );
  const attempts = { newest: () => Promise.resolve(newest()) } as unknown as PaymentAttempts;
  const nothing = () => Promise.resolve();
  const limits = { badLink: nothing, payment: nothing, look: nothing } as unknown as Limits;
  const pages = new LinkPages(
    new OpenedLinks(open, attempts, limits, new Noon()),
    { token: () => 'token' } as unknown as Forms,
    {
      noteLink: (_request: unknown, link: OpenedV3Link) => told.push(link),
    } as unknown as V3Gate,
    { of: () => undefined } as unknown as KeptNumbers,
  );
  const rawQuery = new URLSearchParams({ ...plain?.parameters, hsh }).toString();
  const reply = { headers: () => reply, send: () => reply };
  const caught = await pages
    .show({
      request: { method: 'GET' } as FastifyRequest,
      reply: reply as unknown as FastifyReply,
      place: { path: '/checkout', rawQuery, language: 'en' },
    })
    .catch((thrown: unknown) => thrown);
  return { links: told, fault: (caught as { code?: string } | undefined)?.code };
}

const use = { merchantId: 'M', movable: false, isFirstLook: true };

describe('opening a V3 link', () => {
  it('is recorded as its merchant’s use of V3', async () => {
    expect(await noted({ hosts: ['shop.example'] })).toEqual({ links: [use], fault: undefined });
  });

  it('is recorded even if its return address is not allowed, because customers still arrive by it', async () => {
    expect(await noted()).toEqual({ links: [use], fault: 'invalid_return_url' });
  });

  it('is recorded even if its reference was used for another amount', async () => {
    const newest = (): unknown => fault('another_amount');
    expect(await noted({ hosts: ['shop.example'], newest })).toEqual({
      links: [use],
      fault: 'another_amount',
    });
  });

  it('is not recorded if its hash does not verify', async () => {
    expect(await noted({ hsh: '0'.repeat(40) })).toEqual({ links: [], fault: 'invalid_link' });
  });
});
