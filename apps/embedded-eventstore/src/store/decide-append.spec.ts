import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ExpectedRevision } from '../wire/append-requests.js';
import { decideAppend, type KnownEvents, type StreamState } from './decide-append.js';

const live = (ids: readonly string[]): StreamState => ({
  head: ids.length - 1,
  softDeleted: false,
  tombstoned: false,
});

const knowing = (ids: readonly string[], recent: readonly string[] = []): KnownEvents => ({
  idAt: (revision) => ids[revision],
  recentRevision: (id) => (recent.includes(id) ? ids.lastIndexOf(id) : undefined),
  hasMetadata: () => false,
});

const decide = (
  stored: string[],
  expected: ExpectedRevision,
  ids: string[],
  recent: string[] = [],
) => decideAppend(live(stored), expected, ids, knowing(stored, recent));

describe('an append', () => {
  it.each([
    ['is written to a new stream', [], 'no_stream', ['a'], 'write'],
    ['is written at the head', ['a'], 0, ['b'], 'write'],
    ['is written at the head even if its id is known', ['a'], 0, ['a'], 'write'],
    ['is refused beyond the head', ['a'], 1, ['b'], 'wrong-expected'],
    ['is refused at a revision of a missing stream', [], 0, ['b'], 'wrong-expected'],
    ['is refused below the head if its ids are new', ['a', 'b'], 0, ['c'], 'wrong-expected'],
    ['is a repetition with the same ids', ['a', 'b'], 'no_stream', ['a', 'b'], 'repeat'],
    ['is a repetition with the first of the ids', ['a', 'b'], 'no_stream', ['a'], 'repeat'],
    [
      'is refused with the ids in another order',
      ['a', 'b'],
      'no_stream',
      ['b', 'a'],
      'wrong-expected',
    ],
    [
      'is refused if it repeats ids and runs past the end',
      ['a', 'b'],
      0,
      ['b', 'c'],
      'wrong-expected',
    ],
    ['is written at the head if it is empty', ['a'], 0, [], 'write'],
    ['is refused below the head if it is empty', ['a'], 'no_stream', [], 'wrong-expected'],
    ['is written with any', ['a'], 'any', ['b'], 'write'],
    [
      'is refused with stream_exists if the stream is missing',
      [],
      'stream_exists',
      ['b'],
      'wrong-expected',
    ],
  ] as const)('%s', (...[, stored, expected, ids, verdict]) => {
    expect(decide([...stored], expected, [...ids]).kind).toBe(verdict);
  });

  it('with any is a repetition only while all its ids are recent', () => {
    expect(decide(['a', 'b'], 'any', ['a', 'b'], ['a', 'b'])).toEqual({
      kind: 'repeat',
      revision: 1,
    });
    expect(decide(['a', 'b'], 'any', ['a', 'c'], ['a', 'b']).kind).toBe('wrong-expected');
    expect(decide(['a', 'b'], 'any', ['a', 'b'], []).kind).toBe('write');
  });

  it('begins a soft-deleted stream anew, but not with stream_exists', () => {
    const state = { head: 1, softDeleted: true, tombstoned: false };
    const known = knowing(['a', 'b'], ['b']);
    const kind = (expected: ExpectedRevision, ids: string[]) =>
      decideAppend(state, expected, ids, known).kind;
    for (const expected of ['no_stream', 'any', 1] as const) {
      expect(kind(expected, ['c'])).toBe('write');
    }
    expect(kind('stream_exists', ['c'])).toBe('stream-deleted');
    expect(kind('stream_exists', ['b'])).toBe('stream-deleted');
    expect(kind(0, ['c'])).toBe('wrong-expected');
    expect(kind('no_stream', [])).toBe('wrong-expected');
    expect(decideAppend(state, 'no_stream', ['a'], known)).toEqual({ kind: 'repeat', revision: 0 });
  });

  it('with stream_exists is written to a stream that only has metadata', () => {
    const known = { ...knowing([]), hasMetadata: () => true };
    expect(decideAppend(live([]), 'stream_exists', ['a'], known).kind).toBe('write');
  });

  it('to a tombstoned stream is refused with any expectation', () => {
    const state = { head: 1, softDeleted: false, tombstoned: true };
    for (const expected of ['any', 'no_stream', 'stream_exists', 1] as const) {
      expect(decideAppend(state, expected, ['a'], knowing(['a', 'b'])).kind).toBe('stream-deleted');
    }
  });

  it('with an explicit revision never writes twice when it is retried after any outcome', () => {
    const writers = fc.array(
      fc.record({
        base: fc.integer({ min: -1, max: 5 }),
        ids: fc.array(fc.uuid(), { minLength: 1, maxLength: 3 }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(writers, (appends) => {
        const stored: string[] = [];
        for (const { base, ids } of appends) {
          const expected = base === -1 ? 'no_stream' : base;
          for (let attempt = 0; attempt < 3; attempt++) {
            const { kind } = decide(stored, expected, ids);
            if (kind === 'write') stored.push(...ids);
            expect(attempt === 0 || kind !== 'write').toBe(true);
          }
        }
      }),
    );
  });
});
