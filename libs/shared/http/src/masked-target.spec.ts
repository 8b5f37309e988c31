import { describe, expect, it } from '@jest/globals';
import { maskedTarget } from './masked-target.js';

describe('a path and query that is stored', () => {
  it.each([
    '/api/v4/transactions?type=collection&from=2026-01-01&to=2026-01-31&limit=25',
    '/api/v4/collections/INV-1001',
    '/api/v4/events?after_sequence=12345678',
    '/api/v4/transactions?cursor=AQAAAAAAAAPotcYI_A',
  ])('is stored unchanged if no phone number can be in it: %s', (target) => {
    expect(maskedTarget(target)).toBe(target);
  });

  it.each([
    '254712345678',
    '0712345678',
    '712345678',
    '+254%20712%20345%20678',
    '%2B254-712-345-678',
    '0712 345 678',
    '0712.345.678',
    '%30%37%31%32%33%34%35%36%37%38',
    '0712%C2%A0345%C2%A0678',
    'A0712345678B',
    '0712%0A345678',
    '(0712)%20345%20678',
  ])('never contains a phone number: %s', (phone) => {
    for (const target of [
      `/api/v4/collections/INV-${phone}`,
      `/api/v4/transactions?q=${phone}&limit=1`,
    ]) {
      const masked = maskedTarget(target);
      expect(masked).not.toMatch(/7\D*1\D*2\D*3\D*4\D*5/);
      expect(masked).toContain('*');
      expect(masked).toContain('678');
    }
  });

  it('is cut off if it is long', () => {
    expect(maskedTarget(`/${'a'.repeat(10_000)}`)).toHaveLength(301);
  });
});
