import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ReadyEndpoint } from './delivery-queue.js';
import { EndpointBounds, maxBound } from './endpoint-bounds.js';

const endpoint = (merchantId: string, failures = 0): ReadyEndpoint => ({
  ...{ merchantId, mode: 'demo', kind: 'v4' },
  ...{ failures, isProbe: false },
});
const a = endpoint('a');

/** Takes what the endpoint may have, as a worker does. @returns how many */
function fill(bounds: EndpointBounds, of: ReadyEndpoint): number {
  const [share] = bounds.shares([of]);
  for (let taken = 0; taken < (share?.max ?? 0); taken += 1) bounds.begin(of);
  return share?.max ?? 0;
}

describe('the attempts that an endpoint may have in flight', () => {
  it('are few at first, one more with each success, and one after a failure', () => {
    const bounds = new EndpointBounds(512);
    expect(fill(bounds, a)).toBe(4);
    expect(fill(bounds, a)).toBe(0);
    for (let taken = 0; taken < 4; taken += 1) bounds.end(a, true);
    expect(fill(bounds, a)).toBe(8);
    for (let failed = 0; failed < 8; failed += 1) bounds.end(a, false);
    expect(fill(bounds, a)).toBe(1);
    bounds.end(a, undefined);
    expect(fill(bounds, a)).toBe(1);
  });

  it('grow to a bound', () => {
    const bounds = new EndpointBounds(512);
    for (let taken = 0; taken < 1000; taken += 1) {
      bounds.begin(a);
      bounds.end(a, true);
    }
    expect(fill(bounds, a)).toBe(maxBound);
  });

  it('are one where another worker saw it fail', () => {
    expect(fill(new EndpointBounds(512), endpoint('a', 1))).toBe(1);
  });

  it('leave room for others, however many endpoints take and never end', () => {
    const bounds = new EndpointBounds(512);
    for (let at = 0; at < 50; at += 1)
      for (let taken = 0; taken < maxBound; taken += 1) {
        bounds.begin(endpoint(`h${at}`));
        bounds.end(endpoint(`h${at}`), true);
      }
    for (let round = 0; round < 20; round += 1)
      for (let at = 0; at < 50; at += 1) fill(bounds, endpoint(`h${at}`));
    expect(bounds.total).toBeLessThan(0.8 * 512);
    for (let at = 0; at < 50; at += 1) expect(fill(bounds, endpoint(`healthy ${at}`))).toBe(1);
  });

  it('go to each that has none before any gets a second one, where few are left', () => {
    const bounds = new EndpointBounds(8);
    const [b, c, d] = ['b', 'c', 'd'].map((name) => endpoint(name)) as [
      typeof a,
      typeof a,
      typeof a,
    ];
    for (let taken = 0; taken < 6; taken += 1) bounds.begin(taken % 2 === 0 ? a : b);
    expect(bounds.shares([a, b, c, d])).toMatchObject([
      { merchantId: 'c', max: 1 },
      { merchantId: 'd', max: 1 },
    ]);
  });

  it('are never more than there are, and all come back', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.boolean(), fc.boolean()));
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (taken, max) => {
        const bounds = new EndpointBounds(max);
        const held: ReadyEndpoint[] = [];
        for (const [at, isEnd, wasTaken] of taken) {
          const of = isEnd ? held.shift() : undefined;
          if (of) bounds.end(of, wasTaken);
          const more = endpoint(String(at));
          held.push(...Array.from({ length: fill(bounds, more) }, () => more));
          expect(bounds.total).toBe(held.length);
          expect(held.length).toBeLessThanOrEqual(max);
        }
        for (const of of held) bounds.end(of, true);
        expect(bounds.total).toBe(0);
      }),
    );
  });
});
