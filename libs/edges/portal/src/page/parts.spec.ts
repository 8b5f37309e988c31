import { describe, expect, it } from '@jest/globals';
import { html } from '#shared/html';
import {
  definitions,
  emptyState,
  errorSummary,
  field,
  form,
  money,
  notice,
  shortId,
  statusMark,
  table,
  time,
} from './parts.js';

const hostile = `"><script>alert(1)</script><img src=x onerror='x'>`;

describe('a part', () => {
  it('shows a hostile text as text in every place', () => {
    const empty = emptyState(hostile, hostile);
    const parts = [
      table({ caption: hostile, head: [hostile], rows: [[hostile, hostile]], empty }),
      empty,
      definitions([[hostile, hostile]]),
      statusMark(hostile),
      statusMark('failed', hostile),
      notice('done', hostile),
      errorSummary(hostile, [{ field: hostile, text: hostile }]),
      form(
        { formToken: hostile },
        {
          action: hostile,
          submit: hostile,
          fields: [
            field({ name: hostile, label: hostile, hint: hostile, error: hostile, value: hostile }),
            field({ name: 'a', label: 'A', options: [[hostile, hostile]] }),
            field({ name: 'b', label: 'B', type: 'textarea', value: `</textarea>${hostile}` }),
          ],
        },
      ),
    ];
    for (const part of parts) {
      expect(part?.text).toContain('&lt;script&gt;');
      expect(part?.text).not.toMatch(/<script|<img|<\/textarea>[^\n]*alert/);
    }
  });

  it('shows an instant with its zone', () => {
    expect(time('2026-11-22T14:50:03.120Z', 'Africa/Nairobi').text).toBe(
      '<time datetime="2026-11-22T14:50:03.120Z">2026-11-22 17:50:03 EAT</time>',
    );
    expect(time(new Date('2026-11-22T21:50:03.000Z'), 'Africa/Nairobi').text).toContain(
      '2026-11-23 00:50:03 EAT',
    );
    expect(time('2026-11-22T14:50:03.120Z', 'UTC').text).toContain('14:50:03 UTC');
  });

  it.each([
    [0n, 'KES 0.00'],
    [5n, 'KES 0.05'],
    [99_900n, 'KES 999.00'],
    [123_450n, 'KES 1,234.50'],
    [-123_456_789n, 'KES −1,234,567.89'],
    [90_071_992_547_409_931n, 'KES 900,719,925,474,099.31'],
  ])('shows an amount of %s minor units to the cent', (minor, shown) => {
    expect(money(minor, 'KES').text).toBe(`<span class="money">${shown}</span>`);
  });

  it('shows each status by a word with an icon', () => {
    expect(statusMark('pending_approval').text).toContain('pending approval');
    expect(statusMark('completed', 'imekamilika').text).toMatch(
      /i-good" aria-hidden="true"><\/span> imekamilika/,
    );
  });

  it('shortens an id, and has the whole one a click away', () => {
    expect(shortId('01a22027-ab820a').text).toMatch(/…ab820a[^]*<code>01a22027-ab820a<\/code>/);
    expect(shortId('m1').text).toBe('<code>m1</code>');
    expect(shortId(hostile).text).not.toMatch(/<script|<img/);
  });

  it('shows what to do in place of a table without rows', () => {
    const empty = emptyState('No deliveries yet', html`<a href="/docs">Set an endpoint</a>`);
    expect(table({ caption: 'Deliveries', head: ['Id'], rows: [], empty })).toBe(empty);
  });

  it('ties a field to its hint and to what is wrong with it', () => {
    const text = field({ name: 'reason', label: 'Reason', hint: 'Why', error: 'Missing' }).text;
    expect(text).toContain('aria-describedby="reason-hint reason-error"');
    expect(text).toContain('aria-invalid="true"');
    expect(text).toContain('<label for="reason">');
  });
});
