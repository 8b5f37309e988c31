import { describe, expect, it } from '@jest/globals';
import { whyNotCancelled } from './cancel.js';

describe('a batch that cannot be cancelled', () => {
  it('names the payouts that the rail was given before, twenty at most', () => {
    const given = Array.from({ length: 22 }, (_, index) => `b-${index + 1}`);
    const [first] = whyNotCancelled({ code: 'not_cancellable', given });
    expect(first).toContain('the rail was given 22 of its payouts before: b-1, b-2,');
    expect(first).toContain('b-20 and 2 more');
    expect(whyNotCancelled({ code: 'not_cancellable', given: ['b-1'] })[0]).toMatch(/1 .*: b-1$/);
  });

  it('says why if there are none', () => {
    expect(whyNotCancelled({ code: 'not_cancellable', given: [] })).toHaveLength(1);
    expect(whyNotCancelled({ code: 'unknown_batch', given: [] })[0]).toMatch(/no such batch/);
  });
});
