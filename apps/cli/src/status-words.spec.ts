import { describe, expect, it } from '@jest/globals';
import { statusWord, statusWords } from './status-words.js';

describe('a status on the command line', () => {
  it('has the words of the portal', () => {
    expect(statusWord('pending_approval')).toBe('Needs approval');
    expect(statusWords('pending', undefined)).toBe('Pending');
  });

  it('names the reason of a failure, as it is for the type, with its code', () => {
    const words = (type: 'collection' | 'payout') =>
      statusWords('failed', { code: 'cancelled', type });
    expect(words('collection')).toBe('Failed: The customer cancelled (cancelled)');
    expect(words('payout')).toBe('Failed: Cancelled before it was paid (cancelled)');
  });

  it('keeps codes of a later release', () => {
    expect(statusWord('constructor')).toBe('constructor');
    expect(statusWords('failed', { code: 'toString', type: 'payout' })).toBe('Failed: toString');
  });
});
