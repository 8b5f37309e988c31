import { type SealedMessage, type SealedMessages } from '#domain/evidence';
import { DependencyUnavailable, Overloaded } from '#domain/kernel';
import { expect, it } from '@jest/globals';
import { RetainedRequests, type SealedRequest } from './request-evidence.js';

/** Returns the messages that are kept after a request with this outcome. */
async function keptAfter(run: () => Promise<string>): Promise<readonly string[]> {
  const kept = new Set<string>();
  const messages = {
    keep: ({ id }: SealedMessage) => Promise.resolve(kept.add(id)),
    drop: (id: string) => Promise.resolve(kept.delete(id)),
  } as unknown as SealedMessages;
  const sealed = { message: { id: 'm-1' } } as SealedRequest;
  await new RetainedRequests(messages)
    .carryOut(sealed, run, (outcome) => outcome === 'existing')
    .catch(() => undefined);
  return [...kept];
}

it('the bytes of a request stay unless it is certain that it recorded nothing', async () => {
  expect(await keptAfter(() => Promise.resolve('recorded'))).toEqual(['m-1']);
  expect(await keptAfter(() => Promise.resolve('existing'))).toEqual([]);
  const unknown = new DependencyUnavailable('event store', 'no answer');
  expect(await keptAfter(() => Promise.reject(unknown))).toEqual(['m-1']);
  const turnedAway = new Overloaded('event store', 'too many are at work');
  expect(await keptAfter(() => Promise.reject(turnedAway))).toEqual([]);
});
