import { describe, expect, it } from '@jest/globals';
import { Refused } from '../../refused.js';
import { endpointUrl } from './endpoint-url.js';

function said(text: string, allowPrivate = false): string {
  try {
    return endpointUrl(text, allowPrivate);
  } catch (error) {
    if (error instanceof Refused) return error.lines.join('\n');
    throw error;
  }
}

describe('the URL of an endpoint', () => {
  it.each([
    ['https://shop.example/webhooks?of=pesapost', 'https://shop.example/webhooks?of=pesapost'],
    ['HTTPS://SHOP.example:443', 'https://shop.example/'],
    ['https://8.8.8.8:8443/w', 'https://8.8.8.8:8443/w'],
    ['https://localhosts.example/', 'https://localhosts.example/'],
  ])('%s is kept as %s', (text, kept) => {
    expect(said(text)).toBe(kept);
  });

  it.each([
    ['shop.example/webhooks', 'is no URL'],
    ['http://shop.example/', 'must be https'],
    ['ftp://shop.example/', 'must be https'],
    ['https://me:secret@shop.example/', 'name or password'],
    ['https://me@shop.example/', 'name or password'],
    ['https://shop.example/#', 'fragment'],
    ['https://shop.example/254712345678', 'phone number'],
    [`https://shop.example/${'x'.repeat(2048)}`, 'longer than'],
    ['https://localhost/', 'no address of the internet'],
    ['https://LOCALHOST./', 'no address of the internet'],
    ['https://api.localhost/', 'no address of the internet'],
    ['https://db.internal/', 'no address of the internet'],
    ['https://printer.local/', 'no address of the internet'],
    ['https://127.0.0.1/', 'no address of the internet'],
    ['https://2130706433/', 'no address of the internet'],
    ['https://0177.0.0.1/', 'no address of the internet'],
    ['https://0x7f.1/', 'no address of the internet'],
    ['https://10.0.0.1./', 'no address of the internet'],
    ['https://169.254.169.254/', 'no address of the internet'],
    ['https://[::1]/', 'no address of the internet'],
    ['https://[::ffff:10.0.0.1]/', 'no address of the internet'],
    ['https://[fd00::1]/', 'no address of the internet'],
  ])('%s is refused: %s', (text, why) => {
    expect(said(text)).toContain(why);
  });

  it('may be local and use plain HTTP if that is allowed', () => {
    expect(said('http://localhost:3000/webhooks', true)).toBe('http://localhost:3000/webhooks');
    expect(said('https://10.0.0.1/', true)).toBe('https://10.0.0.1/');
    expect(said('ftp://localhost/', true)).toContain('must be https');
    expect(said('https://me:secret@localhost/', true)).toContain('name or password');
  });
});
