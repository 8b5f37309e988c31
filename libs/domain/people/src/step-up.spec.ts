import { describe, expect, it } from '@jest/globals';
import { isMislabelled, isStepUp, stepUpProof, strongOnly, wasSeenSince } from './step-up.js';

const counts = (set: readonly string[], offered: readonly string[], acr?: unknown): boolean =>
  isStepUp(stepUpProof(set, offered), acr);

describe('a step-up', () => {
  it('takes what no page in between can relay, where the issuer lists it', () => {
    expect(stepUpProof([], ['pwd', 'phr', 'phrh'])).toEqual({
      asked: ['phrh', 'phr'],
      isRequired: true,
    });
    for (const acr of ['pwd', '0', '', undefined, ['phr'], 'phr phrh'])
      expect(counts([], ['phr', 'phrh'], acr)).toBe(false);
    expect(counts([], ['phr', 'phrh'], 'phr')).toBe(true);
  });

  it('takes any fresh sign-in where the issuer lists no such thing', () => {
    for (const acr of ['pwd', undefined]) expect(counts([], ['pwd'], acr)).toBe(true);
  });

  it('takes what the setting names and nothing else, whatever the issuer lists', () => {
    expect(counts(['phr', 'pwd'], [], 'pwd')).toBe(true);
    expect(counts(['phr', 'pwd'], ['phrh'], 'phrh')).toBe(false);
    expect(counts(['gold'], [], undefined)).toBe(false);
  });

  it('takes a passkey alone with live data, whatever the setting names', () => {
    expect(strongOnly(['phr', 'pwd'])).toEqual(['phr']);
    for (const set of [[], ['any'], ['pwd', 'gold']]) {
      expect(strongOnly(set)).toEqual(['phrh', 'phr']);
      expect(counts(strongOnly(set), ['pwd'], 'pwd')).toBe(false);
    }
  });

  it('takes anything where the setting says so, and asks for the best all the same', () => {
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

describe('a person is seen anew', () => {
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

  it.each([0, 3, 3600])('and never by a sign-in of before, if it is ahead by %i s', (aheadBy) => {
    for (const before of [-1, -2, -8, -3600]) expect(seen(before, 5, aheadBy)).toBe(false);
  });

  it('and never by an answer that was signed early and brought late', () => {
    const early = { authenticatedAt: at(-30), issuedAt: at(0), now: at(60) };
    expect(wasSeenSince(begunAtMs, early)).toBe(false);
  });
});
