import { createHash } from 'node:crypto';
import { type Instant } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { daysUpTo, type MerchantReadiness, type Readiness } from '#views/v3-usage';
import { barsPlot, niceTop } from './bars.js';
import { readinessPage } from './readiness-page.js';

const days = daysUpTo('2027-09-14', 90);
const merchantId = '0199c1ee-7a1e-7c3e-9d5e-3f6f5d1c2a10';

const duka: MerchantReadiness = {
  merchantId,
  name: 'Duka <script>alert(1)</script> & "Sons"',
  v3Credentials: 1,
  v4: { state: 'issued', lastDay: undefined },
  checkoutKeys: 0,
  calls: [
    { day: '2027-09-01', merchantId, route: 'balance', calls: 1200 },
    { day: '2027-09-01', merchantId, route: 'collect', calls: 34 },
  ],
  callsInWindow: 1234,
  lastCallDay: '2027-09-01',
  routes: { balance: 1200, collect: 34 },
  links: {
    days: [{ day: '2027-09-02', merchantId, links: 5, movable: 2 }],
    inWindow: 5,
    movableInWindow: 2,
    flagged: true,
  },
  v4Collections: [{ merchantId, day: '2027-09-03', origin: 'v4', collections: 7 }],
  phoneReferencesInWindow: 0,
  missing: ['v4_not_in_use', 'sha1_links_still_used', 'v3_still_called'],
};

const readiness: Readiness = {
  now: '2027-09-14T09:12:33.000Z' as Instant,
  gaDate: '2026-11-21',
  days,
  uncountedDays: ['2027-07-19'],
  merchants: [duka, { ...duka, name: 'Soko', missing: [], calls: [], v4Collections: [] }],
  unknownCalls: 17,
  unattributedCalls: 0,
};

describe('the page of readiness', () => {
  const page = readinessPage(readiness);

  it('needs nothing from elsewhere, and its own policy lets nothing in but its style', () => {
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|https?:|\son\w+=|\sstyle=/);
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(`content="default-src 'none'; style-src 'sha256-${hash}'"`);
  });

  it('lets no name of a merchant be markup', () => {
    expect(page).toContain('Duka &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Sons&quot;');
  });

  it('says for each merchant what is missing, and who is ready', () => {
    expect(page).toContain('1 of 2');
    expect(page).toContain('has a V4 credential and made no collection with it in 30 days');
    expect(page).toContain('flagged for SHA-1 links');
    expect(page).toContain('Nothing is missing.');
    expect(page).toContain('Now: restrict.');
  });

  it('gives every plot a title and words, and every number of it a cell', () => {
    const plots = [...page.matchAll(/<svg class="plot"[^>]*>/g)].map(([tag]) => tag);
    expect(plots).toHaveLength(2 + 2 * 3);
    for (const plot of plots) expect(plot).toMatch(/role="img" aria-label/);
    const ids = [...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const [, row = ''] = /<tr><th scope="row">2027-09-01<\/th>(.*?)<\/tr>/.exec(page) ?? [];
    expect([...row.matchAll(/<td class="number">(.*?)<\/td>/g)].map(([, text]) => text)).toEqual([
      '1,200',
      '34',
      ...['', '', '', '', ''],
    ]);
  });

  it('says so where nobody uses V3', () => {
    const empty = readinessPage({ ...readiness, merchants: [] });
    expect(empty).toContain('No merchant has a V3 credential or has called V3.');
  });
});

describe('a plot', () => {
  it('tells a day on which nobody counted from a day without calls', () => {
    const series = [{ name: 'balance', mark: 'balance', values: [1, 0, 0] }];
    const plot = barsPlot({
      id: 'p',
      title: 'Calls',
      days: ['2027-09-01', '2027-09-02', '2027-09-03'],
      series,
      unknownDays: new Set(['2027-09-02']),
    });
    expect(plot).toContain('2027-09-01: balance 1');
    expect(plot).toContain('2027-09-02: not counted');
    expect(plot).not.toContain('2027-09-03: ');
    expect(plot).toContain('1 between 2027-09-01 and 2027-09-03, at most 1 a day, on 2027-09-01.');
  });

  it('has room for its highest bar and wastes less than two thirds, at any height', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1e12 }), (max) => {
        const top = niceTop(max);
        return top >= max && top < 3 * max && Number.isInteger(top / 2);
      }),
    );
  });
});
