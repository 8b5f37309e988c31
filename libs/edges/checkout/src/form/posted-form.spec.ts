import { describe, expect, it } from '@jest/globals';
import { RawBody } from '#shared/http';
import { postedLink } from './posted-form.js';

const linkIn = (text: string, mediaType = 'application/x-www-form-urlencoded') =>
  postedLink(new RawBody(Buffer.from(text), mediaType));

describe('a link that a shop’s form posts', () => {
  it('is its query, as it was sent', () => {
    expect(linkIn('oid=1&hsh=abc')).toBe('oid=1&hsh=abc');
    expect(linkIn('hash=abc')).toBe('hash=abc');
  });

  it('is ignored if it cannot be a header or is not a form of ours', () => {
    expect(linkIn('hsh=a\r\nSet-Cookie: b=c')).toBeUndefined();
    expect(linkIn('hsh=é')).toBeUndefined();
    expect(linkIn('{"hsh":"a"}', 'application/json')).toBeUndefined();
    expect(linkIn('phone=0712345678&token=t')).toBeUndefined();
  });

  it('is ignored if it is longer than any link, because its address could not be requested', () => {
    expect(linkIn(`hsh=abc&p1=${'x'.repeat(6144)}`)).toBeUndefined();
  });
});
