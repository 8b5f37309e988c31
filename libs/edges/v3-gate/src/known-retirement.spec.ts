import { describe, expect, it } from '@jest/globals';
import { KnownRetirement } from './retirement-watch.js';

describe('what a replica knows of V3’s end', () => {
  it('is nothing before it looked', () => {
    expect(new KnownRetirement().at(0)).toBe('unknown');
  });

  it('is believed for ten seconds, and not a millisecond longer', () => {
    const known = new KnownRetirement();
    known.learn(false, 1000);
    expect(known.at(11_000)).toBe('in_service');
    expect(known.at(11_001)).toBe('unknown');
    known.learn(false, 11_500);
    expect(known.at(11_501)).toBe('in_service');
  });

  it('never changes once it is the end: not with time, not by an older look that answers late', () => {
    const known = new KnownRetirement();
    known.learn(true, 1000);
    known.learn(false, 900);
    known.learn(false, 2000);
    expect(known.at(9_000_000)).toBe('retired');
  });
});
