import { describe, expect, it } from '@jest/globals';
import { Clock, instantFromMs } from '#domain/kernel';
import { type FastifyRequest } from 'fastify';
import { type PaymentAttempt } from './attempts/payment-attempt.js';
import { type PaymentAttempts } from './attempts/payment-attempts.js';
import { type OpenLinks } from './link/open-links.js';
import { OpenedLinks } from './opened.js';
import { type Limits } from './limits.js';

const nowMs = Date.UTC(2026, 10, 21, 9);
const place = { path: '/checkout', rawQuery: '', language: 'en' } as const;
const cancelled = {
  number: 1,
  collection: { status: 'failed', failureCode: 'cancelled' },
  startedAt: instantFromMs(nowMs),
} as PaymentAttempt;

class Noon extends Clock {
  override nowMs = (): number => nowMs;
}

function opened(
  endsAtMs: number,
  newest: PaymentAttempt | undefined,
  { method = 'GET', returnUrl = 'https://shop.example:8443/paid?order=7' } = {},
) {
  const counted: string[] = [];
  const count = (what: string) => () => {
    counted.push(what);
    return Promise.resolve();
  };
  const links = new OpenedLinks(
    {
      open: () =>
        Promise.resolve({
          ok: true,
          value: {
            version: 'v4',
            endsAtMs,
            phone: '',
            reference: 'ORDER-7',
            merchantName: 'Duka',
            ...(returnUrl === '' ? {} : { returnUrl: new URL(returnUrl) }),
            account: { merchantId: 'm-1', mode: 'demo' },
            key: { credentialId: 'c-1' },
          },
        }),
    } as unknown as OpenLinks,
    { newest: () => Promise.resolve({ ok: true, value: newest }) } as unknown as PaymentAttempts,
    {
      badLink: count('bad link'),
      payment: count('payment'),
      look: count('look'),
    } as unknown as Limits,
    new Noon(),
  );
  return { counted, result: links.of({ method } as FastifyRequest, place) };
}

describe('a V4 link', () => {
  it('lets the customer pay and try again if it has not ended', async () => {
    expect((await opened(nowMs, undefined).result).next).toBe(1);
    expect((await opened(nowMs, cancelled).result).next).toBe(2);
  });

  it('starts nothing if it has ended', async () => {
    await expect(opened(nowMs - 1, undefined).result).rejects.toMatchObject({
      code: 'expired_link',
    });
  });

  it('leads to the front page of its shop if it has ended', async () => {
    await expect(opened(nowMs - 1, undefined).result).rejects.toMatchObject({
      shop: { name: 'Duka', href: 'https://shop.example:8443/' },
    });
    const nowhere = opened(nowMs - 1, undefined, { returnUrl: '' });
    await expect(nowhere.result).rejects.toMatchObject({ shop: undefined });
  });

  it('still shows what it started if it has ended, without another try', async () => {
    const { state, next } = await opened(nowMs - 1, cancelled).result;
    expect([state.kind, next]).toEqual(['retry', undefined]);
  });
});

describe('a link that opens', () => {
  it('counts as a look or as a payment, and never as a bad link', async () => {
    const [look, send] = [opened(nowMs, undefined), opened(nowMs, undefined, { method: 'POST' })];
    await Promise.all([look.result, send.result]);
    expect([look.counted, send.counted]).toEqual([['look'], ['payment']]);
  });
});
