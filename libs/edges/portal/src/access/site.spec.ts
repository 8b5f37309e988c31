import { describe, expect, it } from '@jest/globals';
import { type FastifyRequest } from 'fastify';
import { isFromHere, wayBack } from './site.js';

describe('the page after signing in', () => {
  it.each([
    '/portal',
    '/portal/reviews',
    '/portal/merchants/m1/demo/days/2026-11-22?after=12&status=pending',
    '/portal/find?q=%3Cscript%3E',
    '/portal?x=1',
  ])('is the page that was requested: %s', (asked) => {
    expect(wayBack(asked)).toBe(asked);
  });

  it.each([
    'https://evil.example/portal',
    '//evil.example/portal',
    '/\\evil.example',
    '/portal\\..\\..',
    '/portal/../docs',
    '/portal/%2e%2e/docs',
    '/portalx',
    '/portal@evil.example',
    'portal',
    '',
    '/portal/\r\nSet-Cookie: a=b',
    '/portal/ü',
    `/portal/${'x'.repeat(3000)}`,
    '/portal/sign-in?back=/portal/sign-in',
    '/portal/sign-out',
    '/portal/callback?code=1',
    null,
    undefined,
  ])('is the first page if the requested page is not ours: %j', (asked) => {
    expect(wayBack(asked)).toBe('/portal');
  });
});

describe('a form', () => {
  const comesFromHere = (headers: Readonly<Record<string, string>>) =>
    isFromHere({ headers } as unknown as FastifyRequest, 'https://pay.example');

  it.each([
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin', origin: 'null' },
    { origin: 'https://pay.example' },
    { origin: 'null' },
    {},
  ])('may come from here: %j', (headers) => {
    expect(comesFromHere(headers)).toBe(true);
  });

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'https://pay.example' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'http://pay.example' },
  ])('comes from elsewhere: %j', (headers) => {
    expect(comesFromHere(headers)).toBe(false);
  });
});
