import { describe, expect, it } from '@jest/globals';
import { isStepUp, stepUpProof } from './step-up.js';

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

  it('takes anything where the setting says so, and asks for the best all the same', () => {
    expect(stepUpProof(['any'], ['phr'])).toEqual({ asked: ['phr'], isRequired: false });
    expect(counts(['any'], ['phr'], undefined)).toBe(true);
  });
});
