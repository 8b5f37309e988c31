import { type Instant } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import { signatureDetail, timestampDetail } from './checks.js';

const now = '2026-01-21T06:36:24.102Z' as Instant;

describe('the details of a refused signature', () => {
  it('are for demo mode alone', () => {
    expect(timestampDetail({ mode: 'live', now })).toEqual({});
    expect(signatureDetail({ mode: 'live', now }, 'GET')).toEqual({});
    expect(timestampDetail({ mode: 'demo', now }).detail).toContain(now);
  });

  it('show no more of a line than a person can compare', () => {
    const { detail = '' } = signatureDetail(
      { mode: 'demo', now },
      ['GET', `/${'x'.repeat(9000)}`, '', 'digest', 'nonce', '1'].join('\n'),
    );
    expect(detail.length).toBeLessThan(800);
    expect(detail).toContain('timestamp "1"');
  });

  it('report that there is nothing that could be signed', () => {
    expect(signatureDetail({ mode: 'demo', now }, undefined).detail).toContain('percent-encoded');
  });
});
