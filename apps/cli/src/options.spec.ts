import { describe, expect, it } from '@jest/globals';
import {
  parseDay,
  parseEnd,
  parseEndOrNone,
  parseForEver,
  parseHolder,
  parsePaidAt,
  parseRanges,
  parseReceipt,
  parseTimezone,
  parseWholeAmount,
} from './options.js';

describe('a name or reason that is stored for ever', () => {
  it.each([
    '',
    '   ',
    'the customer 254712345678 called',
    'rang 0712345678 twice',
    'x'.repeat(501),
    'seen\u001b[1A\u001b[2Kamount: KES 10.00',
    'seen \u009b2J',
    'paid \u202e00.01 SEK',
    'a\u0000b',
  ])('is refused as %j', (text) => {
    expect(() => parseForEver(text)).toThrow(/must/);
  });

  it('is stored as typed, without the spaces at its ends', () => {
    const reason = 'statement of 20 November, line 12: NLJ7RT61SV';
    expect(parseForEver(` ${reason} `)).toBe(reason);
    // A separate line could pass for another field of the output.
    expect(parseForEver('seen\r\n\tamount: 1\u2028x')).toBe('seen amount: 1 x');
    expect(parseForEver('Zażółć 支払い عربي – “ok”')).toBe('Zażółć 支払い عربي – “ok”');
  });
});

describe('the end of a credential', () => {
  it.each(['90d', '2027-03-01'])('is a day or a number of days: %s', (text) => {
    expect([parseEnd(text), parseEndOrNone(text)]).toEqual([text, text]);
  });

  it.each(['', '2027-02-29', '90', '1.5d', '2027-03-01T00:00:00Z'])('is not %j', (text) => {
    expect(() => parseEnd(text)).toThrow(/must be a day/);
    expect(() => parseEndOrNone(text)).toThrow(/none removes the end/);
  });

  it('can be removed by the value none; a new credential omits it instead', () => {
    expect(parseEndOrNone('none')).toBe('none');
    expect(() => parseEnd('none')).toThrow(/must be a day/);
  });
});

describe('the holder of a credential', () => {
  it('may be any name, but not in the form of a person’s id', () => {
    expect(parseHolder('till #2')).toBe('till #2');
    expect(() => parseHolder('https://id.example#00u1')).toThrow(/holder bind/);
  });
});

describe('a payment as an operator types it', () => {
  it('has the receipt in the capitals of the rail', () => {
    expect(parseReceipt(' nlj7rt61sv ')).toBe('NLJ7RT61SV');
  });

  it.each(['NLJ7', 'NLJ7 RT61SV', 'NLJ7RT61SV;', ''])('has no receipt %j', (text) => {
    expect(() => parseReceipt(text)).toThrow(/letters, digits and dots/);
  });

  it.each(['254712345678', '0112345678'])('has no phone number, %j, for its receipt', (text) => {
    expect(() => parseReceipt(text)).toThrow(/for ever/);
  });

  it.each(['0', '-1', '1.5', '250,00', '1e3'])('has no amount %j', (text) => {
    expect(() => parseWholeAmount(text)).toThrow();
  });

  it('has a time with its zone, in milliseconds of UTC', () => {
    expect(parsePaidAt('2026-11-20T10:15:00+03:00')).toBe('2026-11-20T07:15:00.000Z');
  });

  it.each(['2026-11-20T10:15:00', '20.11.2026 10:15', '2026-13-20T10:15:00Z'])(
    'has no time %j',
    (text) => {
      expect(() => parsePaidAt(text)).toThrow(/RFC 3339/);
    },
  );
});

describe('a time zone', () => {
  it.each(['Africa/Nairobi', 'America/New_York', 'UTC'])('is %s by name', (zone) => {
    expect(parseTimezone(zone)).toBe(zone);
  });

  it.each(['+03:00', '-0330', '+03', 'GMT+3', 'Nairobi', '', 'EAT-3'])('is not %j', (text) => {
    expect(() => parseTimezone(text)).toThrow(/IANA/);
  });
});

describe('a day', () => {
  it('is one of the calendar', () => {
    expect(parseDay('2028-02-29')).toBe('2028-02-29');
  });

  it.each(['2026-02-29', '2026-13-01', '0000-01-01', '20-11-2026', '2026-11-20T10:00', ''])(
    'is not %j',
    (text) => {
      expect(() => parseDay(text)).toThrow(/must be a day/);
    },
  );
});

describe('a list of addresses', () => {
  it('contains IPv4-mapped addresses as the IPv4 addresses that they are', () => {
    const typed = '::ffff:127.0.0.1, 0:0::FFFF:c000:200/120,::ffff:0:0/96,10.0.0.7/8,2001:DB8::/32';
    const kept = ['127.0.0.1', '192.0.2.0/24', '0.0.0.0/0', '10.0.0.7/8', '2001:DB8::/32'];
    expect(parseRanges(typed)).toEqual(kept);
  });

  it.each(['::ffff:0:0/95', '0::ffff:10.0.0.0/80', 'shop.example', ''])(
    'does not contain %j',
    (text) => {
      expect(() => parseRanges(text)).toThrow('(one of IPv4-mapped addresses is of /96 or longer)');
    },
  );
});
