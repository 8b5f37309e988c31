import { expect, it } from '@jest/globals';
import { type EventStore } from '#domain/event-sourcing';
import { RailReferences, type ReferenceView } from './rail-references.js';

it('a view that stays behind is waited for by the pauses alone, so no clock that is set back can prolong it', async () => {
  let slept = 0;
  const sleep = (ms: number): Promise<void> => {
    slept += ms;
    if (slept > 60_000) throw new Error('the wait has no end');
    return Promise.resolve();
  };
  const store = { head: () => Promise.resolve(2n) } as Partial<EventStore>;
  const view = { position: () => Promise.resolve(1n) } as Partial<ReferenceView>;
  const references = new RailReferences(store as EventStore, view as ReferenceView, { sleep });
  await expect(
    references.streamsWith({ channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_1' }),
  ).rejects.toThrow('it is behind the log');
  expect(slept).toBe(5000);
});
