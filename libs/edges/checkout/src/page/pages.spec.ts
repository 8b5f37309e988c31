import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import { type PaymentState } from '../attempts/payment-state.js';
import { type CheckoutLink } from '../link/checkout-link.js';
import { linkPage, refreshAfter, shownAmount } from './state-page.js';
import { faultPage, faultStatuses } from './fault-page.js';
import { languages, preferredLanguage } from '#shared/http';
import { type FaultCode } from './codes.js';
import { textsIn } from './texts-in.js';

const nowMs = Date.UTC(2026, 10, 21, 9);
const place = { path: '/checkout', rawQuery: 'oid=1&hsh=2', language: 'en' } as const;

function link(fields: object = {}): CheckoutLink {
  const account = { mode: 'demo', currency: 'KES' };
  const plain = { merchantName: 'Duka', reference: 'R', amountMinor: 125_000n, account };
  return { ...plain, ...fields } as unknown as CheckoutLink;
}

const waiting = (ageMs: number, isLong = false): PaymentState => ({
  kind: 'waiting',
  startedAt: instantFromMs(nowMs - ageMs),
  phoneMasked: '2547*****678',
  prompted: true,
  isLong,
});

const open: PaymentState = { kind: 'open', next: 1 };
const states: PaymentState[] = [
  open,
  waiting(0),
  waiting(200_000, true),
  { kind: 'retry', failureCode: 'cancelled', next: 2 },
  { kind: 'failed', failureCode: 'no_answer' },
  { kind: 'failed', failureCode: 'constructor' },
  { kind: 'checked' },
  { kind: 'refunded' },
  {
    kind: 'paid',
    amountMinor: 125_000n,
    receipt: 'TKL33D3MJ7',
    at: instantFromMs(nowMs),
    isNew: true,
  },
];
const form = { attempt: 1, token: 't', phone: '0712345678' };

/** Returns the tags and attributes of a page. Texts must not add any. */
function skeleton(page: Buffer): string[] {
  return [...page.toString().matchAll(/<[a-z/!][^>]*>/gi)].map(([tag]) =>
    tag.replace(/"[^"]*"/g, '""'),
  );
}

describe('a page', () => {
  it('names the demo mode in the portal’s words, and the live mode not at all', () => {
    const pageIn = (mode: string, language: 'en' | 'sw'): string =>
      linkPage({
        place: { ...place, language },
        link: link({ account: { mode, currency: 'KES' } }),
        state: open,
        nowMs,
        form,
      }).toString();
    expect(pageIn('demo', 'en')).toContain('>Demo: no real money<');
    expect(pageIn('demo', 'sw')).toContain('>Majaribio: hakuna pesa halisi<');
    expect(pageIn('live', 'en')).not.toMatch(/real money/);
  });

  it('keeps its structure for any text, so that nothing becomes markup', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom('"><script>x</script>', "' onload='x", '&lt;', '</title>', '<!--'),
    );
    const plain = states.map((state) =>
      skeleton(linkPage({ place, link: link(), state, nowMs, form })),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (merchantName, reference, phone) => {
        states.forEach((state, index) => {
          const page = linkPage({
            place,
            link: link({ merchantName, reference }),
            state,
            nowMs,
            form: { ...form, phone },
          });
          expect(skeleton(page)).toEqual(plain[index]);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('keeps a query that tries to leave its attribute inside', () => {
    const rawQuery = `oid="><script>alert(1)</script>'`;
    const page = linkPage({
      place: { ...place, rawQuery },
      link: link(),
      state: open,
      nowMs,
      form,
    });
    expect(page.toString()).not.toContain('<script>alert');
    expect(page.toString()).not.toContain('"><script');
  });

  it('is small: every page with all that it loads is under 12 KB', () => {
    for (const state of states)
      expect(linkPage({ place, link: link(), state, nowMs, form }).length).toBeLessThan(12_000);
  });

  it('names its language and offers the other one for the very same query', () => {
    const page = linkPage({ place, link: link(), state: open, nowMs, form }).toString();
    expect(page).toContain('<html lang="en">');
    expect(page).toContain('href="/checkout/sw?oid=1&amp;hsh=2"');
    const other = { ...place, language: 'sw' } as const;
    const swahili = linkPage({ place: other, link: link(), state: open, nowMs, form });
    expect(swahili.toString()).toContain('<html lang="sw">');
    expect(swahili.toString()).toContain('action="/checkout/sw?oid=1&amp;hsh=2"');
  });

  it('has every text in both languages, and no text of one in the other', () => {
    for (const code of Object.keys(faultStatuses) as FaultCode[]) {
      const [english, swahili] = languages.map((language) => textsIn(language).faults[code]);
      expect(english?.text).not.toBe(swahili?.text);
    }
    const keys = languages.map((language) => Object.keys(textsIn(language).failures));
    expect(keys[0]).toEqual(keys[1]);
  });

  it('leads back to the shop and says so in both languages, if the link has expired', () => {
    const shop = { name: 'Duka & "Co"', href: 'https://shop.example/' };
    const page = (language: 'en' | 'sw'): string =>
      faultPage({
        place: { ...place, language },
        code: 'expired_link',
        detail: undefined,
        requestId: 'r-1',
        shop,
      }).toString();
    const button = /<a class="button" href="https:\/\/shop\.example\/">\s*([^<]*?)\s*<\/a\s*>/;
    expect(button.exec(page('en'))?.[1]).toBe('Back to Duka &amp; &quot;Co&quot;');
    expect(page('en')).toContain('Go back to the shop and start again from there.');
    expect(button.exec(page('sw'))?.[1]).toBe('Rudi kwa Duka &amp; &quot;Co&quot;');
    expect(page('sw')).toContain('Rudi dukani uanze upya kutoka hapo.');
  });

  it('offers the filled-in number after a failure, or asks for one if there is no number', () => {
    const state = { kind: 'retry', failureCode: 'cancelled', next: 2 } as const;
    const page = (phone: string): string =>
      linkPage({ place, link: link(), state, nowMs, form: { ...form, phone } }).toString();
    expect(page('0712345678')).toContain('with this number or another one');
    expect(page('')).not.toContain('this number');
    expect(page('')).toContain('Enter your number to try again.');
  });

  it('shows no text of the link if it is the page of a fault', () => {
    const detail = 'oid is missing';
    const page = faultPage({ place, code: 'malformed_link', detail, requestId: 'r-1' }).toString();
    expect(page).toContain('oid is missing');
    expect(page).toContain('No money was taken.');
    expect(page).not.toMatch(/href="(?!\/checkout\/|data:)/);
  });
});

describe('a page that says paid', () => {
  const returnHref = 'https://shop.example/thanks?a=1&b=2';
  const paid = (isNew: boolean): string =>
    linkPage({
      place,
      link: link(),
      state: { kind: 'paid', amountMinor: 1n, at: instantFromMs(nowMs), isNew },
      nowMs,
      returnHref,
    }).toString();

  it('leads back to the shop once, with a link, and says so', () => {
    const address = 'https://shop.example/thanks?a=1&amp;b=2';
    expect(paid(true)).toContain(`<meta http-equiv="refresh" content="15; url=${address}" />`);
    expect(paid(true)).toContain('You return to Duka in 15 seconds');
    expect(paid(true)).toContain(`href="${address}"`);
  });

  it('does not leave by itself if the customer came back to it', () => {
    expect(paid(false)).not.toContain('http-equiv="refresh"');
    expect(paid(false)).not.toContain('by itself');
  });

  it('has the date in the zone of M-Pesa’s receipts', () => {
    expect(paid(true)).toContain('21 Nov 2026, 12:00');
  });
});

describe('a page that waits', () => {
  it('says after a push of unknown outcome what may have happened and whom to ask', () => {
    for (const isLong of [false, true]) {
      const state = { ...waiting(0, isLong), prompted: false } as PaymentState;
      const page = linkPage({ place, link: link(), state, nowMs }).toString();
      expect(page).toMatch(/did not answer|don’t know if/);
      expect(page).toMatch(/ask(ed)? Duka.*order number: R/s);
      expect(page).not.toContain('We sent');
    }
  });

  it('never promises that the shop is notified', () => {
    for (const state of [...states, waiting(200_000, true)])
      expect(linkPage({ place, link: link(), state, nowMs }).toString()).not.toContain('is told');
  });

  it('refreshes after growing intervals, and finally stops', () => {
    const seconds = [0, 40, 130, 700, 4000].map((age) => refreshAfter(waiting(age * 1000), nowMs));
    expect(seconds).toEqual([3, 5, 15, 60, undefined]);
    expect(refreshAfter({ kind: 'checked' }, nowMs)).toBeUndefined();
  });

  it('refreshes without a script as well', () => {
    const page = linkPage({ place, link: link(), state: waiting(0), nowMs }).toString();
    expect(page).toContain('<noscript><meta http-equiv="refresh" content="3" /></noscript');
  });
});

describe('an amount', () => {
  it.each([
    [1n, 'KES\u00a00.01'],
    [99_900n, 'KES\u00a0999.00'],
    [100_000n, 'KES\u00a01,000.00'],
    [25_000_000n, 'KES\u00a0250,000.00'],
    [123_456_789_012n, 'KES\u00a01,234,567,890.12'],
  ])('with %s minor units is shown as %s', (minor, text) => {
    expect(shownAmount('KES', minor)).toBe(text);
  });
});

describe('the language', () => {
  it.each([
    [undefined, 'en'],
    ['sw', 'sw'],
    ['sw-KE,sw;q=0.9,en;q=0.8', 'sw'],
    ['en-GB,en;q=0.9,sw;q=0.8', 'en'],
    ['fr;q=0.9,sw;q=0.3', 'sw'],
    ['fr', 'en'],
    ['sw;q=0', 'en'],
    ['*', 'en'],
    [`${'x,'.repeat(50)}sw`, 'en'],
    [';;,,q=1,sw;q=9', 'en'],
  ])('for a browser that sends %s is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});
