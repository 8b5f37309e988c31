import { type EventStore, UnreadableEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { describe, expect, it } from '@jest/globals';
import { overdueSeal, readSealedSoFar } from './seals.js';

const nairobi = { date: '2026-11-01', timezone: 'Africa/Nairobi' };
const at = (text: string): number => Date.parse(text);

describe('the seal of a day', () => {
  it('is overdue an hour after it was due, by the zone of the day before', () => {
    // 2 November ends at 21:00 UTC; its seal is due 5 minutes later.
    const since = '2026-11-02T22:05:00.000Z';
    expect(overdueSeal({ sealed: nairobi }, at(since) - 1)).toBeUndefined();
    expect(overdueSeal({ sealed: nairobi }, at(since))).toEqual({ date: '2026-11-02', since });
    expect(overdueSeal({ sealed: nairobi }, at('2027-01-01T00:00:00Z'))).toMatchObject({ since });
  });

  it('is also overdue if no day was ever sealed, by the zone in which days end last', () => {
    const firstAt = '2026-11-01T10:00:00.000Z' as Instant;
    // In that zone it is still 31 October.
    const since = '2026-11-01T13:05:00.000Z';
    expect(overdueSeal({ firstAt }, at(since) - 1)).toBeUndefined();
    expect(overdueSeal({ firstAt }, at(since))).toEqual({ date: '2026-10-31', since });
  });

  it('is not owed by an empty log', () => {
    expect(overdueSeal({}, at('2030-01-01T00:00:00Z'))).toBeUndefined();
  });
});

describe('the sealed state that the log reports', () => {
  const store = (first: () => AsyncIterable<never>) =>
    ({
      readLast: () => Promise.resolve(undefined),
      readAll: first,
    }) as unknown as Pick<EventStore, 'readLast' | 'readAll'>;

  it('is the time of its first event before the first head, readable or not', async () => {
    const recordedAt = '2026-11-01T10:00:00.000Z' as Instant;
    const torn = store(async function* () {
      await Promise.resolve();
      yield* [];
      throw new UnreadableEvent({ recordedAt } as never, 'torn');
    });
    const whole = store(async function* () {
      await Promise.resolve();
      yield { recordedAt } as never;
    });
    expect(await readSealedSoFar(torn)).toEqual({ firstAt: recordedAt });
    expect(await readSealedSoFar(whole)).toEqual({ firstAt: recordedAt });
  });
});
