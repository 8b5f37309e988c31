import { describe, expect, it } from '@jest/globals';
import { KnownRetirement } from './retirement-watch.js';

describe('a replica’s knowledge of V3’s end', () => {
  it('is unknown before the first read', () => {
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

  it('never changes once V3 is retired, not with time and not by an older read that answers late', () => {
    const known = new KnownRetirement();
    known.learn(true, 1000);
    known.learn(false, 900);
    known.learn(false, 2000);
    expect(known.at(9_000_000)).toBe('retired');
  });
});
