import { describe, expect, it } from '@jest/globals';
import { isMislabelled, isStepUp, stepUpProof, strongOnly, wasSeenSince } from './step-up.js';

const counts = (set: readonly string[], offered: readonly string[], acr?: unknown): boolean =>
  isStepUp(stepUpProof(set, offered), acr);

describe('a step-up', () => {
  it('accepts only a proof that no page in between can relay, if the issuer lists one', () => {
    expect(stepUpProof([], ['pwd', 'phr', 'phrh'])).toEqual({
      asked: ['phrh', 'phr'],
      isRequired: true,
    });
    for (const acr of ['pwd', '0', '', undefined, ['phr'], 'phr phrh'])
      expect(counts([], ['phr', 'phrh'], acr)).toBe(false);
    expect(counts([], ['phr', 'phrh'], 'phr')).toBe(true);
  });

  it('accepts any fresh sign-in if the issuer lists no such proof', () => {
    for (const acr of ['pwd', undefined]) expect(counts([], ['pwd'], acr)).toBe(true);
  });

  it('accepts only what the setting names, regardless of what the issuer lists', () => {
    expect(counts(['phr', 'pwd'], [], 'pwd')).toBe(true);
    expect(counts(['phr', 'pwd'], ['phrh'], 'phrh')).toBe(false);
    expect(counts(['gold'], [], undefined)).toBe(false);
  });

  it('accepts only a passkey with live data, regardless of what the setting names', () => {
    expect(strongOnly(['phr', 'pwd'])).toEqual(['phr']);
    for (const set of [[], ['any'], ['pwd', 'gold']]) {
      expect(strongOnly(set)).toEqual(['phrh', 'phr']);
      expect(counts(strongOnly(set), ['pwd'], 'pwd')).toBe(false);
    }
  });

  it('accepts anything if the setting says so, but still asks for the best proof', () => {
    expect(stepUpProof(['any'], ['phr'])).toEqual({ asked: ['phr'], isRequired: false });
    expect(counts(['any'], ['phr'], undefined)).toBe(true);
  });
});

describe('a proof is mislabelled', () => {
  it('if it is called phishing-resistant and names only ways that can be relayed', () => {
    for (const amr of [['pwd'], ['pwd', 'otp'], ['mfa', 'pwd', 'sms']])
      expect([amr, isMislabelled('phr', amr)]).toEqual([amr, true]);
    expect(isMislabelled('phrh', ['pwd'])).toBe(true);
  });

  it('not by a passkey, by another acr, or if the token names no way', () => {
    for (const amr of [['hwk'], ['pwd', 'hwk'], ['swk', 'mfa'], [], undefined, 'pwd'])
      expect([amr, isMislabelled('phr', amr)]).toEqual([amr, false]);
    expect(isMislabelled('1', ['pwd'])).toBe(false);
  });
});

describe('a person counts as seen again', () => {
  const begunAtMs = Date.UTC(2026, 0, 1, 12);
  const at = (seconds: number): Date => new Date(begunAtMs + seconds * 1000);
  /** Times by the issuer's clock, which is some seconds ahead of ours. */
  const seen = (authenticated: number, back: number, aheadBy = 0) =>
    wasSeenSince(begunAtMs, {
      authenticatedAt: at(authenticated + aheadBy),
      issuedAt: at(back + aheadBy),
      now: at(back),
    });

  it.each([0, 3, -9, 3600])('if the issuer’s clock is ahead by %i s', (aheadBy) => {
    expect(seen(4, 5, aheadBy)).toBe(true);
    expect(seen(0, 2, aheadBy)).toBe(true);
  });

  it.each([0, 3, 3600])(
    'but never by an earlier sign-in, if the issuer’s clock is ahead by %i s',
    (aheadBy) => {
      for (const before of [-1, -2, -8, -3600]) expect(seen(before, 5, aheadBy)).toBe(false);
    },
  );

  it('but never by an answer that was signed early and delivered late', () => {
    const early = { authenticatedAt: at(-30), issuedAt: at(0), now: at(60) };
    expect(wasSeenSince(begunAtMs, early)).toBe(false);
  });
});
