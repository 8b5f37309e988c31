import { describe, expect, it } from '@jest/globals';
import { hostile } from '#testing';
import { browserName } from './browser-name.js';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

describe('the name of a browser', () => {
  it.each([
    ['Chrome', 'Android', `(Linux; Android 10; K) ${webKit} Chrome/130.0.0.0 Mobile Safari/537.36`],
    ['Chrome', 'Windows', `(Windows NT 10.0; Win64; x64) ${webKit} Chrome/130.0 Safari/537.36`],
    ['Firefox', 'Linux', '(X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'],
    [
      'Safari',
      'iOS',
      '(iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    ],
    [
      'Safari',
      'macOS',
      '(Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    ],
    [
      'Microsoft Edge',
      'Windows',
      `(Windows NT 10.0; Win64; x64) ${webKit} Chrome/130.0 Safari/537.36 Edg/130.0`,
    ],
    [
      'Samsung Internet',
      'Android',
      `(Linux; Android 14; SM-A155F) ${webKit} SamsungBrowser/26.0 Chrome/122.0 Mobile Safari/537.36`,
    ],
  ])('is %s on %s', (name, system, header) => {
    expect(browserName(`Mozilla/5.0 ${header}`)).toEqual({ name, system });
  });

  it('is not known without a header, or from one that names no browser', () => {
    for (const header of [undefined, '', 'curl/8.10.1', hostile, `${hostile}/1.0`, '\0'])
      expect([header, browserName(header)]).toEqual([header, undefined]);
  });

  it('has no system if the header names none', () => {
    expect(browserName('Firefox/132.0')).toEqual({ name: 'Firefox', system: undefined });
  });

  it('contains no word of the header that is not in a list', () => {
    const header = `Mozilla/5.0 (<b>Mine</b>) ${webKit} Chrome/130.0 <b>Mine</b>/9`;
    const found = browserName(header);
    expect(found).toEqual({ name: 'Chrome', system: undefined });
  });

  it('is read from the beginning of a long header only', () => {
    expect(browserName(`${'a'.repeat(100_000)} Chrome/130.0`)).toBeUndefined();
  });
});
