import { type EventStore } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { type ReadDatabase } from '#infra/postgres';
import { expect, it } from '@jest/globals';
import { PastReads } from './past-reads.js';

it('one merchant that asks without end leaves room for the others', async () => {
  const past = new PastReads({} as ReadDatabase, {} as EventStore);
  const { promise: end, resolve } = Promise.withResolvers<string>();
  const asked = Array.from({ length: 40 }, () => past.run('busy', () => end));
  const outcomes = Promise.allSettled(asked);
  const another = past.run('another', () => Promise.resolve('read'));
  resolve('read');
  await expect(another).resolves.toBe('read');
  const [kept, refused] = [(await outcomes).slice(0, 6), (await outcomes).slice(6)];
  expect(kept.every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(
    refused.every(
      (one) => one.status === 'rejected' && one.reason instanceof DependencyUnavailable,
    ),
  ).toBe(true);
  // A read that has ended makes room again.
  await expect(past.run('busy', () => Promise.resolve('again'))).resolves.toBe('again');
});
