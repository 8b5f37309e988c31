import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allowedUrl, canonicalHost } from './allowed-url.js';

const measured = { hosts: ['shop.example', '[2001:db8::7]'], schemes: ['https:'] };

describe('a URL that a caller gave', () => {
  it('is allowed if it leads to a host on the list, on any port', () => {
    for (const text of [
      'https://shop.example/a?b=c',
      'https://SHOP.example:8443',
      'https://[2001:db8::7]/',
    ])
      expect(allowedUrl(text, measured).ok).toBe(true);
  });

  it('never leads to another host, whatever it contains', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'shop.example',
        'evil.example',
        '@',
        '\\',
        '/',
        '//',
        ':',
        '#',
        '?',
        '.',
        '%2e',
        '\t',
        'https:',
      ),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const url = allowedUrl(`https://${pieces.join('')}`, measured);
        if (url.ok) expect(measured.hosts).toContain(new URL(url.value.href).hostname);
      }),
    );
  });

  it('is refused for its scheme before its host is looked at', () => {
    expect(allowedUrl('http://shop.example/', measured)).toEqual({
      ok: false,
      refusal: 'scheme_not_allowed',
    });
  });
});

describe('a host for the list', () => {
  it.each([
    ['shop.example', 'shop.example'],
    ['SHOP.Example', 'shop.example'],
    ['straße.example', 'xn--strae-oqa.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['[2001:DB8::7]', '[2001:db8::7]'],
  ])('%s is stored as %s', (text, host) => {
    expect(canonicalHost(text)).toBe(host);
  });

  it.each([
    '',
    'shop.example:443',
    'shop.example/',
    'https://shop.example',
    '*.example',
    'a@b',
    'a b',
    '2001:db8::7',
    'a,b',
  ])('%j is not a host', (text) => {
    expect(canonicalHost(text)).toBeUndefined();
  });
});
